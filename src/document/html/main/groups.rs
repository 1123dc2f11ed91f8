//! Groups of naming words in classes; the distance from a block up to the nearest element with a
//! word of each group is a feature.

/// The groups: a name and its words.
pub(super) const GROUPS: [(&str, &str); 20] = [
    (
        "nav",
        "nav navigation navbar menu submenu megamenu breadcrumb breadcrumbs crumb \
         crumbs toc toolbar skip tabs tab sitemap topbar",
    ),
    ("head", "header masthead banner top hero head"),
    (
        "foot",
        "footer foot bottom copyright colophon legal disclaimer",
    ),
    (
        "side",
        "sidebar side aside rail widget widgets secondary complementary col2 right left",
    ),
    (
        "rel",
        "related recommend recommended recommendations recommendation more similar also \
         trending popular latest recent upsell crosssell next prev previous siblings \
         suggestions teaser teasers",
    ),
    (
        "soc",
        "share sharing social twitter facebook follow addtoany sharedaddy jp",
    ),
    (
        "cook",
        "cookie cookies consent gdpr onetrust modal popup overlay dialog lightbox \
         drawer offcanvas notice alert toast",
    ),
    (
        "com",
        "comment comments reply replies disqus respond discussion commentlist",
    ),
    (
        "ad",
        "ad ads advert advertisement advertising sponsor sponsored promo promotion \
         promotional outbrain taboola cta",
    ),
    (
        "meta",
        "meta byline author date time published timestamp tags tag categories category \
         avatar bio info",
    ),
    (
        "news",
        "newsletter subscribe subscription signup email mailing optin join",
    ),
    (
        "acc",
        "login signin register account cart basket checkout user search wishlist",
    ),
    (
        "filt",
        "filter filters facet facets sort sorting pagination pager paging paginate \
         refine toggle dropdown select",
    ),
    (
        "prod",
        "product price sku variant spec specs specification specifications buy",
    ),
    (
        "cont",
        "content article post entry body story main text page single blog richtext \
         prose markdown rte copy paragraph wysiwyg description",
    ),
    (
        "forum",
        "forum thread message messages topic posts answer answers question postbody msg",
    ),
    (
        "rev",
        "review reviews rating ratings testimonial testimonials stars",
    ),
    (
        "card",
        "card cards item items grid list listing results result tile tiles row archive \
         feed loop",
    ),
    (
        "gal",
        "gallery carousel slider slide slick swiper image img media video caption \
         figure",
    ),
    (
        "acco",
        "accordion collapse collapsible panel faq tabpanel expand expandable",
    ),
];

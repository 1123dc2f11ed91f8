//! Addresses of resized images: the address of the original is shorter, and the image is better.
//!
//! Rules: Next.js (`/_next/image?url=`), Cloudflare (`/cdn-cgi/image/OPTIONS/ADDRESS`), and the
//! parameters of imgix, Contentful, Sanity, Shopify, Scene7 and others. Signed addresses stay
//! unchanged, because the server refuses them without their parameters.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::dom::lists_any_case;

/// Paths of servers that take the original's address as their parameter `url`.
const URL_SERVERS: &[&str] = &["/_next/image", "/_vercel/image"];

const PATH_SERVER: &str = "/cdn-cgi/image/";

/// File extensions of images.
const IMAGE_EXTENSIONS: &str = "avif bmp gif jpeg jpg pjpeg png svg tif tiff webp";

/// Parameters that change the looks of an image, and prefixes of others.
const LOOK_PARAMETERS: &str = "auto cs dpr fit fl fm fmt format h height optimize q rect quality \
                               resize resmode ssl strip w webp wid width";
const LOOK_PREFIXES: [&str; 2] = ["compress", "crop"];

/// Returns the address of the original of `source`, which is as the page has it; `source` itself if
/// that is not resized.
pub(super) fn original(source: &str) -> Cow<'_, str> {
    if let Some(original) = by_url(source).or_else(|| by_path(source)) {
        return original;
    }
    let Some((path, query)) = source.split_once('?') else {
        return Cow::Borrowed(source);
    };
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let image = lists_any_case(IMAGE_EXTENSIONS, ending);
    let looks = |pair: &str| {
        let name = pair.split('=').next().unwrap_or_default();
        let name = name.strip_prefix("amp;").unwrap_or(name);
        lists_any_case(LOOK_PARAMETERS, name)
            || LOOK_PREFIXES.iter().any(|look| name.starts_with(look))
    };
    // A version selects the image at one time; any other parameter may select the image itself.
    let version = |pair: &str| pair.starts_with("v=");
    let plain = query.split('&').all(|pair| looks(pair) || version(pair));
    if image && plain {
        Cow::Borrowed(path)
    } else {
        Cow::Borrowed(source)
    }
}

fn by_url(source: &str) -> Option<Cow<'_, str>> {
    let (place, query) = source.split_once('?')?;
    let site = URL_SERVERS
        .iter()
        .find_map(|server| place.strip_suffix(server))?;
    let original = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("url="))?;
    let original = percent_decode_str(original).decode_utf8().ok()?;
    on_site(site, original)
}

fn by_path(source: &str) -> Option<Cow<'_, str>> {
    let (site, path) = source.split_once(PATH_SERVER)?;
    let (_, original) = path.split_once('/')?;
    on_site(site, Cow::Borrowed(original))
}

/// Resolves the original's address on the site whose address begins with `site`.
fn on_site<'a>(site: &str, original: Cow<'a, str>) -> Option<Cow<'a, str>> {
    if original.starts_with("https://") || original.starts_with("http://") {
        return Some(original);
    }
    // The base of a path is unknown if the server is not at the root of its host.
    let host = site.rsplit_once("//").map_or(site, |(_, host)| host);
    let path = original.strip_prefix('/').unwrap_or(&original);
    let plain = !path.is_empty() && !path.starts_with('/') && !path.contains("//");
    (plain && !host.contains('/')).then(|| Cow::Owned(format!("{site}/{path}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_made_to_measure_is_the_original() {
        for (source, wanted) in [
            ("/_next/image?url=%2Fa%20b.png&w=640&q=75", "/a b.png"),
            (
                "https://e.com/_next/image?url=https%3A%2F%2Fi.com%2Fa.png%3Fb%3Dc&w=1",
                "https://i.com/a.png?b=c",
            ),
            (
                "https://e.com/_next/image?url=%2Fa.png&w=1",
                "https://e.com/a.png",
            ),
            ("//e.com/_vercel/image?q=1&url=/a.png", "//e.com/a.png"),
            ("/cdn-cgi/image/width=80,quality=75/a/b.png", "/a/b.png"),
            (
                "https://e.com/cdn-cgi/image/w=80/https://i.com/a.png",
                "https://i.com/a.png",
            ),
            (
                "https://e.com/cdn-cgi/image/w=80/a.png?b=c",
                "https://e.com/a.png?b=c",
            ),
            ("/a.jpg?w=300&amp;H=2&q=75", "/a.jpg"),
            ("/a.jpg?v=17&width=500", "/a.jpg"),
        ] {
            assert_eq!(original(source), wanted);
        }
    }

    #[test]
    fn any_other_image_stays_as_it_is() {
        for source in [
            "/a.jpg",
            "/a.jpg?w=300&s=0123abcd",
            "/a.jpg?id=7&w=300",
            "/image.php?w=300",
            "/image?w=300",
            "/_next/image?w=640",
            "/_next/image?url=%ff&w=640",
            "/_next/image?url=&w=640",
            "https://e.com/docs/_next/image?url=%2Fa.png&w=1",
            "/_next/image?url=%2F%2Fevil.com%2Fa.png&w=1",
            "/cdn-cgi/image/w=80/",
            "/cdn-cgi/image/w=80",
            "?w=1",
            "",
        ] {
            assert_eq!(original(source), source);
        }
    }
}

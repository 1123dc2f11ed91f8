//! Suffixes that a country's registry reserves, each with the countries in which that is so.

/// Suffixes reserved for public authorities, by the label before the country's.
pub const GOVERNMENTS: &[(&str, &str)] = &[
    (
        "gov",
        "ae al am ar au az ba bd bg bh br by cn co cy cz dz eg et ge gh gr hk hr hu ie il in iq \
         it jm jo kw kz lb lk lt lv ma md me mk mn mo mt mv my ng np om pg ph pk pl ps pt qa ro \
         rs ru rw sa sg si sk tn to tr tt tw ua uk uz vn za zm zw",
    ),
    ("gob", "ar bo cl cu do ec es gt hn mx ni pa pe sv ve"),
    ("gouv", "bf bj cd cg ci fr ga ht lu mc ml sn tg"),
    ("gub", "uy"),
    ("go", "cr id jp ke kr th tz ug"),
    ("govt", "nz"),
    ("gv", "at"),
    ("gc", "ca"),
    ("mil", "br cn id in kr nz ph pl tr za"),
    ("mod", "uk"),
    ("police", "uk"),
    ("nhs", "uk"),
];

/// Suffixes reserved for universities and schools, by the label before the country's.
pub const UNIVERSITIES: &[(&str, &str)] = &[
    (
        "ac",
        "ae at bd be bw cn cr cy fj gg id il im in ir jp ke kr lk ma mu mw mz nz pg rs rw th tz \
         ug uk za zm zw",
    ),
    (
        "edu",
        "ar au bd bo br cn co cu do ec eg ge gh gr gt hk iq it jm jo kw kz lb ly mo mt mx my ng \
         ni np om pa pe ph pk pl pt py qa rs ru sa sg sv tr tw ua uy ve vn",
    ),
];

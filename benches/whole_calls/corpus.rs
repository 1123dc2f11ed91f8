//! What the calls work on: text and trees of files, the same on every machine, made once and kept.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes in a megabyte as disks count it.
pub const MB: u64 = 1_000_000;

/// Bytes in a gibibyte.
pub const GIB: u64 = 1 << 30;

/// Stands once in each text, at about two thirds of it.
pub const NEEDLE: &str = "the-one-needle-in-the-haystack";

/// Stands in a handful of lines or files.
pub const RARE: &str = "zyzzyva";

/// Stands in one line of some forty.
pub const COMMON: &str = "request";

/// Every so many bytes of text stands a [`RARE`] line.
const RARE_EVERY: u64 = 8 * MB;

const WORDS: [&str; 40] = [
    "the",
    "value",
    "of",
    "buffer",
    "is",
    "read",
    "into",
    "memory",
    "when",
    "connection",
    "server",
    "closed",
    "error",
    "warning",
    "handler",
    "index",
    "returns",
    "length",
    "before",
    "pointer",
    "after",
    "static",
    "const",
    "struct",
    "while",
    "token",
    "parse",
    "string",
    "line",
    "count",
    "state",
    "queue",
    "lock",
    "thread",
    "caché",
    "naïve",
    "module",
    "import",
    "\"quoted\"",
    "for",
];

/// A generator of numbers that look random and are the same each time (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 16) % bound
    }
}

/// Where the corpora are kept.
pub struct Corpus {
    directory: PathBuf,
}

impl Corpus {
    /// Corpora in `directory`, made when they are first asked for.
    pub fn new(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        Ok(Self {
            directory: directory.to_owned(),
        })
    }

    /// A text of `size` bytes, in lines of some 55; what it is called goes into its name.
    pub fn text(&self, name: &str, size: u64) -> io::Result<PathBuf> {
        self.once(&format!("{name}-{size}.txt"), |path| {
            let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
            let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
            let (mut written, mut line) = (0, Vec::new());
            let (mut next_rare, mut needle_at) = (RARE_EVERY / 2, size / 3 * 2);
            while written < size {
                line.clear();
                write_line(&mut line, &mut numbers)?;
                if written >= next_rare {
                    next_rare += RARE_EVERY;
                    writeln!(line, "  seen: {RARE} {}", numbers.below(1000))?;
                }
                if written >= needle_at {
                    needle_at = u64::MAX;
                    writeln!(line, "here is {NEEDLE}.")?;
                }
                let left = usize::try_from(size - written).unwrap_or(usize::MAX);
                line.truncate(left);
                out.write_all(&line)?;
                written += line.len() as u64;
            }
            out.flush()
        })
    }

    /// A copy of `original` to work on.
    pub fn copy(&self, original: &Path, name: &str) -> io::Result<PathBuf> {
        let path = self.directory.join(name);
        fs::copy(original, &path)?;
        Ok(path)
    }

    /// A file with these bytes.
    pub fn file(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.directory.join(name);
        fs::write(&path, bytes)?;
        Ok(path)
    }

    /// An empty directory.
    pub fn room(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.directory.join(name);
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        fs::create_dir(&path)?;
        Ok(path)
    }

    /// A request of one tool, as a file that its stdin can be.
    pub fn request(&self, name: &str, request: &serde_json::Value) -> io::Result<PathBuf> {
        let path = self.directory.join(format!("{name}.json"));
        fs::write(&path, request.to_string())?;
        Ok(path)
    }

    /// A request to write `content`, `size` bytes, which is not held in memory: it would count as
    /// that of the calls.
    pub fn write_request(&self, file: &Path, content: &Path, size: u64) -> io::Result<PathBuf> {
        self.once(&format!("write-request-{size}.json"), |path| {
            let mut out = BufWriter::new(File::create(path)?);
            write!(out, "{{\"file_path\":{:?},\"content\":\"", file.display())?;
            let mut text = io::BufReader::new(File::open(content)?);
            let mut line = Vec::new();
            while io::BufRead::read_until(&mut text, b'\n', &mut line)? > 0 {
                let json = serde_json::to_string(&String::from_utf8_lossy(&line))?;
                out.write_all(&json.as_bytes()[1..json.len() - 1])?;
                line.clear();
            }
            out.write_all(b"\"}")?;
            out.flush()
        })
    }

    /// A source tree of `count` files, 25 in a directory, of some 3 kB each; a third of them are
    /// `*.c`.
    pub fn tree(&self, count: u64) -> io::Result<PathBuf> {
        self.once(&format!("tree-{count}"), |root| write_tree(root, count))
    }

    /// The same as a git work tree, of which a tenth and all `*.txt` are ignored.
    pub fn work_tree(&self, count: u64) -> io::Result<PathBuf> {
        self.once(&format!("work-tree-{count}"), |root| {
            fs::create_dir_all(root.join(".git"))?;
            fs::write(root.join(".gitignore"), "/part9/\n*.txt\n")?;
            write_tree(root, count)
        })
    }

    /// One directory with `count` empty files, nine of ten of them `*.txt`.
    pub fn flat(&self, count: u64) -> io::Result<PathBuf> {
        self.once(&format!("flat-{count}"), |root| {
            fs::create_dir(root)?;
            for n in 0..count {
                let kind = if n % 10 == 0 { "log" } else { "txt" };
                // The names' order is not that in which they were made.
                let shuffled = n * 7_368_787 % 99_999_989;
                File::create(root.join(format!("report-{shuffled:08}.{kind}")))?;
            }
            Ok(())
        })
    }

    /// What `make` makes under `name`, unless it is there already; half-made ones never bear the
    /// name.
    fn once(&self, name: &str, make: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<PathBuf> {
        let path = self.directory.join(name);
        if !path.exists() {
            eprintln!("making {}", path.display());
            let unfinished = self.directory.join(format!("{name}.unfinished"));
            if unfinished.is_dir() {
                fs::remove_dir_all(&unfinished)?;
            }
            make(&unfinished)?;
            fs::rename(&unfinished, &path)?;
        }
        Ok(path)
    }
}

fn write_line(line: &mut Vec<u8>, numbers: &mut Numbers) -> io::Result<()> {
    for _ in 0..numbers.below(4) {
        line.extend_from_slice(b"    ");
    }
    for _ in 0..=3 + numbers.below(8) {
        let word = usize::try_from(numbers.below(WORDS.len() as u64)).unwrap_or(0);
        line.extend_from_slice(WORDS[word].as_bytes());
        line.push(b' ');
    }
    match numbers.below(40) {
        0 => writeln!(line, "{COMMON} {}", numbers.below(100_000)),
        1 => writeln!(line, "= {};", numbers.below(100_000)),
        _ => writeln!(line, "end"),
    }
}

fn write_tree(root: &Path, count: u64) -> io::Result<()> {
    let mut numbers = Numbers(0x2545_F491_4F6C_DD1D);
    let mut content = Vec::new();
    for n in 0..count {
        let place = n / 25;
        let directory = root.join(format!("part{}/sub{}/d{place}", place % 10, place % 100));
        if n % 25 == 0 {
            fs::create_dir_all(&directory)?;
        }
        content.clear();
        let size = 500 + numbers.below(5000);
        while (content.len() as u64) < size {
            write_line(&mut content, &mut numbers)?;
        }
        if n % 5000 == 2500 {
            writeln!(content, "    seen: {RARE} {}", numbers.below(1000))?;
        }
        let kind = ["c", "h", "c", "md", "rs", "txt"][usize::try_from(n % 6).unwrap_or(0)];
        fs::write(directory.join(format!("file_{n}.{kind}")), &content)?;
    }
    Ok(())
}

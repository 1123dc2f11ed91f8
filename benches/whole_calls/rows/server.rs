//! A server on the loopback, for as long as this process lives.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Serves at the address that comes back: `answer` gets the server's address and a request's path,
/// and returns the type and the text of its body.
pub fn serve(
    answer: impl Fn(&str, &str) -> (&'static str, String) + Send + Sync + 'static,
) -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}", listener.local_addr()?);
    let base = address.clone();
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (answer, base) = (Arc::clone(&answer), base.clone());
            thread::spawn(move || {
                // A client that goes away early misses it.
                let _ = reply(stream, |path| answer(&base, path));
            });
        }
    });
    Ok(address)
}

fn reply(mut stream: TcpStream, answer: impl Fn(&str) -> (&'static str, String)) -> io::Result<()> {
    let mut path = String::new();
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if path.is_empty() {
            line.split(' ').nth(1).unwrap_or("/").clone_into(&mut path);
        }
    }
    let (kind, body) = answer(&path);
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

//! A Redis of the test's own, as well or as badly behaved as a test needs: paused, killed, started
//! again, with a password, with TLS.

// Every test file includes this module and uses its own part of it.
#![allow(dead_code)]

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use redis::{Connection, IntoConnectionInfo, RedisResult, Value};

use crate::common::{directory, eventually, skip};

/// A Redis that runs until it is dropped.
pub struct Redis {
    place: tempfile::TempDir,
    port: u16,
    args: Vec<String>,
    scheme: &'static str,
    user: String,
    child: Option<Child>,
}

impl Redis {
    /// Starts one; `None` where there is no Redis on this machine, which is reported.
    pub fn start() -> Option<Self> {
        Self::with(&[], "")
    }

    /// The same with a password.
    pub fn with_password(password: &str) -> Option<Self> {
        Self::with(&["--requirepass", password], password)
    }

    /// The same with these arguments.
    pub fn with_args(args: &[&str]) -> Option<Self> {
        Self::with(args, "")
    }

    fn with(args: &[&str], password: &str) -> Option<Self> {
        let mut redis = Self::prepared()?;
        redis.args.extend(args.iter().map(|arg| (*arg).to_owned()));
        redis.user = match password {
            "" => String::new(),
            password => format!(":{password}@"),
        };
        redis.run();
        Some(redis)
    }

    /// Starts one that speaks TLS alone, with this certificate and its key, in PEM.
    pub fn with_tls(certificate: &str, key: &str) -> Option<Self> {
        let mut redis = Self::prepared()?;
        for (name, content) in [("certificate.pem", certificate), ("key.pem", key)] {
            fs::write(redis.place.path().join(name), content).unwrap();
        }
        let port = redis.port.to_string();
        let args = [
            ["--port", "0"],
            ["--tls-port", &port],
            ["--tls-auth-clients", "no"],
            ["--tls-cert-file", "certificate.pem"],
            ["--tls-key-file", "key.pem"],
        ];
        redis.args = args
            .as_flattened()
            .iter()
            .map(|arg| (*arg).to_owned())
            .collect();
        redis.scheme = "rediss";
        redis.run();
        Some(redis)
    }

    /// One that is not running yet, at a port that is free.
    pub fn prepared() -> Option<Self> {
        let there = Command::new("redis-server").arg("--version").output();
        if there.is_err() {
            skip("there is no redis-server here");
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = port.local_addr().unwrap().port();
        Some(Self {
            place: directory(),
            port,
            args: vec!["--port".to_owned(), port.to_string()],
            scheme: "redis",
            user: String::new(),
            child: None,
        })
    }

    /// Starts it, with nothing in it.
    pub fn run(&mut self) {
        let mut command = Command::new("redis-server");
        command
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .args(["--unixsocket", "redis.sock", "--daemonize", "no"])
            .args(&self.args)
            .current_dir(self.place.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.child = Some(command.spawn().unwrap());
        assert!(eventually(|| self.connection().is_ok()), "Redis starts");
    }

    /// Its address, with its password.
    pub fn url(&self) -> String {
        format!("{}://{}127.0.0.1:{}", self.scheme, self.user, self.port)
    }

    /// The same with another password.
    pub fn url_with(&self, password: &str) -> String {
        format!("{}://:{password}@127.0.0.1:{}", self.scheme, self.port)
    }

    /// The same by its name.
    pub fn url_by_name(&self) -> String {
        format!("{}://localhost:{}", self.scheme, self.port)
    }

    /// The address of its socket.
    pub fn socket(&self) -> String {
        format!("unix://{}", self.socket_file().display())
    }

    fn socket_file(&self) -> PathBuf {
        self.place.path().join("redis.sock")
    }

    /// A connection of the test's own, past TLS.
    pub fn connection(&self) -> RedisResult<Connection> {
        let info = self.socket().into_connection_info()?;
        let password = self.user.trim_start_matches(':').trim_end_matches('@');
        let user = info.redis_settings().clone();
        let user = if password.is_empty() {
            user
        } else {
            user.set_password(password)
        };
        redis::Client::open(info.set_redis_settings(user))?.get_connection()
    }

    /// What it answers to this.
    #[track_caller]
    pub fn ask(&self, words: &[&str]) -> Value {
        let mut command = redis::cmd(words[0]);
        for word in &words[1..] {
            command.arg(word);
        }
        command.query(&mut self.connection().unwrap()).unwrap()
    }

    /// Its keys.
    pub fn keys(&self) -> Vec<String> {
        let mut connection = self.connection().unwrap();
        let mut keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut connection).unwrap();
        keys.sort();
        keys
    }

    /// The value of a key.
    pub fn value(&self, key: &str) -> Vec<u8> {
        let mut connection = self.connection().unwrap();
        redis::cmd("GET").arg(key).query(&mut connection).unwrap()
    }

    /// Puts a value in, for a minute.
    pub fn set(&self, key: &str, value: &[u8]) {
        let mut set = redis::cmd("SET");
        set.arg(key).arg(value).arg("PX").arg(60_000);
        set.exec(&mut self.connection().unwrap()).unwrap();
    }

    /// Stops it where it is, so that it takes connections and answers nothing.
    pub fn pause(&self) {
        self.signal(libc::SIGSTOP);
    }

    /// Has it go on.
    pub fn resume(&self) {
        self.signal(libc::SIGCONT);
    }

    /// Kills it.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    fn signal(&self, signal: i32) {
        let id = self.child.as_ref().unwrap().id();
        // SAFETY: a process of this test's own, which nobody has waited for.
        let done = unsafe { libc::kill(i32::try_from(id).unwrap(), signal) };
        assert_eq!(done, 0);
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}

//! A PostgreSQL cluster for the tests of one program: made on a socket in a folder of its own when it
//! is first asked for, and gone with the program, however that ends.

use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Where Debian keeps each version's programs.
const VERSIONS: &str = "/usr/lib/postgresql";
const LONGEST_START: Duration = Duration::from_secs(30);
/// Clusters of this program so far.
static CLUSTERS: AtomicU32 = AtomicU32::new(0);

/// Ends the server and deletes its folder once nobody holds the other end of its input.
const KEEPER: &str = r#"
start() {
    "$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c fsync=off -c full_page_writes=off \
        -c max_connections=500 >>"$2/log" 2>&1 &
    server=$!
}
start "$1" "$2"
while read -r signal; do
    kill "-$signal" $server
    wait $server
    start "$1" "$2"
done
kill -INT $server
wait $server
rm -rf "$2"
"#;

/// See the module.
pub struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    /// Ends when this program does: it holds the other end of its input.
    keeper: Child,
    databases: AtomicU32,
}

impl Cluster {
    /// The cluster of this program; why there is none.
    pub fn of_program() -> Result<&'static Self, &'static str> {
        static CLUSTER: OnceLock<Result<Cluster, String>> = OnceLock::new();
        let cluster = CLUSTER.get_or_init(Self::start).as_ref();
        cluster.map_err(String::as_str)
    }

    /// The address of an empty database; an error if the server does not make one.
    pub fn fresh(&self) -> Result<String, String> {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.psql(&format!("CREATE DATABASE {name}"))?;
        Ok(self.address(&name))
    }

    /// The address of a database that a back-up of another one was played into, as people do it; an error if
    /// that fails.
    pub fn restored(&self, address: &str) -> Result<String, String> {
        let copy = self.fresh()?;
        let dump = self.programs.join("pg_dump");
        let written = Command::new(dump).arg(address).output();
        let written = written.map_err(|error| error.to_string())?;
        if !written.status.success() {
            return Err(String::from_utf8_lossy(&written.stderr).into_owned());
        }
        let file = self.folder.join("back-up.sql");
        std::fs::write(&file, written.stdout).map_err(|error| error.to_string())?;
        let mut command = Command::new(self.programs.join("psql"));
        command.args(["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"]);
        command.arg("--file").arg(file).arg(&copy);
        let read = command.output().map_err(|error| error.to_string())?;
        if read.status.success() {
            return Ok(copy);
        }
        Err(String::from_utf8_lossy(&read.stderr).into_owned())
    }

    /// Ends its server by that signal, such as INT, or QUIT as if it had crashed, and starts it again; an
    /// error if it does not.
    pub fn restart(&mut self, signal: &str) -> Result<(), String> {
        let started = "SELECT pg_postmaster_start_time()";
        let before = self.psql(started)?;
        let input = self.keeper.stdin.as_mut();
        let input = input.ok_or("its keeper has ended")?;
        writeln!(input, "{signal}").map_err(|error| error.to_string())?;
        self.wait(|cluster| cluster.psql(started).is_ok_and(|now| now != before))
    }

    /// Until that is so.
    fn wait(&self, is: impl Fn(&Self) -> bool) -> Result<(), String> {
        let begun = Instant::now();
        while !is(self) {
            if begun.elapsed() > LONGEST_START {
                return Err("the server does not do what it is told".to_owned());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn address(&self, name: &str) -> String {
        let folder = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://postgres@{folder}/{name}")
    }

    /// One that nobody else uses; why there is none.
    pub fn start() -> Result<Self, String> {
        let programs = newest_programs().ok_or("PostgreSQL is not installed")?;
        let made = Self::make(programs);
        made.map_err(|why| format!("PostgreSQL cannot be started here: {why}"))
    }

    fn make(programs: PathBuf) -> Result<Self, String> {
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        };
        let cluster = CLUSTERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("linkscent-postgres-{}-{cluster}", std::process::id());
        let folder = place.join(name);
        let said = |error: std::io::Error| error.to_string();
        DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .map_err(said)?;
        // The server refuses to run for root: then it runs for the user that Debian made for it.
        let as_other = is_root();
        if as_other {
            let (user, group) = (number_of("-u")?, number_of("-g")?);
            chown(&folder, Some(user), Some(group)).map_err(said)?;
        }
        let run = |program: &str| {
            let mut command = Command::new(if as_other { "setpriv" } else { program });
            if as_other {
                let as_user = ["--reuid=postgres", "--regid=postgres", "--clear-groups"];
                command.args(as_user).arg("--").arg(program);
            }
            command.current_dir(&folder);
            command
        };
        let initdb = programs.join("initdb").display().to_string();
        let made = run(&initdb)
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8"])
            .args(["--locale=C", "--no-sync", "-D"])
            .arg(folder.join("data"))
            .output();
        let made = made.map_err(said)?;
        if !made.status.success() {
            return Err(String::from_utf8_lossy(&made.stderr).into_owned());
        }
        let keeper = run("sh")
            .args(["-c", KEEPER, "keeper"])
            .args([&programs, &folder])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(said)?;
        let cluster = Self {
            folder,
            programs,
            keeper,
            databases: AtomicU32::new(0),
        };
        cluster.wait(|cluster| cluster.psql("SELECT 1").is_ok())?;
        Ok(cluster)
    }

    /// Runs a statement; what it says.
    fn psql(&self, statement: &str) -> Result<String, String> {
        let done = Command::new(self.programs.join("psql"))
            .args(["--no-psqlrc", "--quiet", "--tuples-only"])
            .args(["--username=postgres", "--host"])
            .arg(&self.folder)
            .args(["--dbname=postgres", "--command", statement])
            .output()
            .map_err(|error| error.to_string())?;
        if done.status.success() {
            return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
        }
        Err(String::from_utf8_lossy(&done.stderr).into_owned())
    }
}

/// The folder of the newest version's programs.
fn newest_programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir(VERSIONS).ok()?.flatten();
    let versions = versions.filter_map(|entry| {
        let number: u32 = entry.file_name().to_str()?.parse().ok()?;
        let programs = entry.path().join("bin");
        programs
            .join("initdb")
            .exists()
            .then_some((number, programs))
    });
    versions.max().map(|(_, programs)| programs)
}

fn is_root() -> bool {
    number_of_ours() == Some(0)
}

fn number_of_ours() -> Option<u32> {
    let said = Command::new("id").arg("-u").output().ok()?;
    String::from_utf8_lossy(&said.stdout).trim().parse().ok()
}

/// The number of the user `postgres`, or of its group.
fn number_of(which: &str) -> Result<u32, String> {
    let said = Command::new("id").args([which, "postgres"]).output();
    let said = said.map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&said.stdout);
    said.trim()
        .parse()
        .map_err(|_| "there is no user postgres".to_owned())
}

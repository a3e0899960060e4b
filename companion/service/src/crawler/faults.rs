//! Why no answer came of a request, told apart: what may be different another time is asked for
//! again, and a log that says the same of the same can be counted.
//!
//! Left out: what a proxy says of the hosts behind it, which comes as an answer.

use std::error::Error as StdError;
use std::io;

use rustls::CertificateError;
use thiserror::Error;

use super::ssrf_guard::Refused;

/// Why no answer came, or none that is whole.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum Fault {
    /// Nobody has the name.
    #[error("there is no host of this name")]
    NoHost,
    /// Who knows names did not answer.
    #[error("the host's name could not be looked up just now")]
    NoNames,
    /// Nothing listens there.
    #[error("the host refuses connections")]
    Refuses,
    /// The network leads nowhere.
    #[error("the host cannot be reached just now")]
    NoWay,
    /// No connection in time.
    #[error("the host did not take the connection in time")]
    NoConnection,
    /// No answer in time, or not all of it.
    #[error("the server took too long")]
    TooLong,
    /// The connection ended before an answer.
    #[error("the connection broke off")]
    BrokeOff,
    /// The connection ended within an answer.
    #[error("the answer broke off before its end")]
    Half,
    /// It cannot prove who it is.
    #[error("the host cannot prove who it is: {0}")]
    Certificate(&'static str),
    /// What it says is no TLS, or none that is spoken here.
    #[error("no secure connection to the host could be made")]
    Tls,
    /// Others took all the memory that answers may take.
    #[error("too many large answers came at once")]
    NoRoom,
    /// The program may have no more files and connections open.
    #[error("this program may not have more connections open")]
    Files,
    /// Something else, in its own words.
    #[error("{0}")]
    Other(String),
}

/// What Unix systems answer where the system, or the program, may have no more files open.
const NO_MORE_FILES: [i32; 2] = [23, 24];

impl Fault {
    /// By what stands beneath an error of a request.
    pub fn of(error: &reqwest::Error) -> Self {
        let mut cause: &dyn StdError = error;
        loop {
            match of_cause(cause) {
                // Of a connection that is not made yet no answer has begun.
                Some(Fault::Half) if error.is_connect() => return Self::BrokeOff,
                Some(fault) => return fault,
                None => {}
            }
            match cause.source() {
                Some(deeper) => cause = deeper,
                None => break,
            }
        }
        if error.is_timeout() {
            return if error.is_connect() {
                Self::NoConnection
            } else {
                Self::TooLong
            };
        }
        // The cause at the bottom says what happened; the layers above only repeat the address.
        let said = cause.to_string();
        match &*said {
            "connection closed before message completed" => Self::BrokeOff,
            "end of file before message length reached"
            | "unexpected EOF during chunk size line" => Self::Half,
            _ => Self::Other(said),
        }
    }

    /// Whether it says nothing of the host, but that the program may have no more connections.
    pub fn is_of_files(error: &io::Error) -> bool {
        of_io(error) == Some(Self::Files)
    }

    /// Whether it may be different another time soon.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::NoNames
            | Self::Refuses
            | Self::NoWay
            | Self::NoConnection
            | Self::BrokeOff
            | Self::Half
            | Self::NoRoom => true,
            Self::NoHost
            | Self::TooLong
            | Self::Certificate(_)
            | Self::Tls
            | Self::Files
            | Self::Other(_) => false,
        }
    }
}

/// What one of the errors beneath another says by itself.
fn of_cause(cause: &(dyn StdError + 'static)) -> Option<Fault> {
    if let Some(refused) = cause.downcast_ref::<Refused>() {
        return Some(Fault::Other(refused.to_string()));
    }
    if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
        return Some(of_tls(tls));
    }
    let io = cause.downcast_ref::<io::Error>()?;
    if let Some(inner) = io.get_ref()
        && let Some(fault) = of_cause(inner)
    {
        return Some(fault);
    }
    of_io(io)
}

fn of_io(error: &io::Error) -> Option<Fault> {
    let code = error.raw_os_error();
    if cfg!(unix) && code.is_some_and(|code| NO_MORE_FILES.contains(&code)) {
        return Some(Fault::Files);
    }
    // Errors of look-ups have no kind of their own.
    let said = error.to_string();
    if said.contains("Too many open files") {
        return Some(Fault::Files);
    }
    if let Some(why) = said.strip_prefix("failed to lookup address information") {
        let is_known = ["not known", "No address", "nodename", "No such host"];
        return Some(if is_known.iter().any(|known| why.contains(known)) {
            Fault::NoHost
        } else {
            Fault::NoNames
        });
    }
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Some(Fault::Refuses),
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => Some(Fault::NoWay),
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => Some(Fault::BrokeOff),
        io::ErrorKind::UnexpectedEof => Some(Fault::Half),
        _ => None,
    }
}

fn of_tls(error: &rustls::Error) -> Fault {
    let rustls::Error::InvalidCertificate(why) = error else {
        return Fault::Tls;
    };
    Fault::Certificate(match why {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another name"
        }
        CertificateError::UnknownIssuer => "nobody who is trusted here signed its certificate",
        CertificateError::Revoked => "its certificate was revoked",
        _ => "its certificate is not valid",
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    #[cfg(unix)]
    #[test]
    fn want_of_files_is_told_from_what_hosts_do() {
        for (code, fault) in [
            (23, Some(Fault::Files)),
            (24, Some(Fault::Files)),
            (1, None),
        ] {
            assert_eq!(of_io(&io::Error::from_raw_os_error(code)), fault, "{code}");
        }
        let looking = "failed to lookup address information: Too many open files (os error 24)";
        assert_eq!(of_io(&io::Error::other(looking)), Some(Fault::Files));
    }

    /// What is said of a server that behaves so, asked by this scheme.
    async fn fault_of<Served: Future<Output = ()> + Send>(
        scheme: &str,
        serve: impl Fn(TcpStream) -> Served + Send + 'static,
    ) -> Fault {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                serve(stream).await;
            }
        });
        asked(&format!("{scheme}://{address}/")).await
    }

    async fn asked(address: &str) -> Fault {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .no_proxy()
            .read_timeout(Duration::from_millis(300))
            .build()
            .unwrap();
        let answer = match client.get(address).send().await {
            Ok(answer) => answer.bytes().await.map(|_| ()),
            Err(error) => Err(error),
        };
        Fault::of(&answer.expect_err("nothing comes"))
    }

    async fn say(mut stream: TcpStream, said: &str) {
        let mut asked = [0; 1_024];
        let _ = stream.read(&mut asked).await;
        let _ = stream.write_all(said.as_bytes()).await;
    }

    #[tokio::test]
    async fn faults_of_servers_are_told_apart() {
        let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = closed.local_addr().unwrap();
        drop(closed);
        assert_eq!(asked(&format!("http://{address}/")).await, Fault::Refuses);
        let nothing = fault_of("http", |stream| say(stream, "")).await;
        assert_eq!(nothing, Fault::BrokeOff);
        let reset = fault_of("http", |stream| async move {
            stream.set_zero_linger().unwrap();
        });
        assert_eq!(reset.await, Fault::BrokeOff);
        let half = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
        assert_eq!(
            fault_of("http", |stream| say(stream, half)).await,
            Fault::Half
        );
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf";
        let chunked = fault_of("http", |stream| say(stream, chunked)).await;
        assert_eq!(chunked, Fault::Half);
        let silent = fault_of("http", |mut stream| async move {
            let mut asked = Vec::new();
            let _ = stream.read_to_end(&mut asked).await;
        });
        assert_eq!(silent.await, Fault::TooLong);
        let plain = fault_of("https", |stream| say(stream, "HTTP/1.1 400 no\r\n\r\n")).await;
        assert_eq!(plain, Fault::Tls);
        let cut = fault_of("https", |stream| say(stream, "")).await;
        assert_eq!(
            cut,
            Fault::BrokeOff,
            "before its end, and before its beginning"
        );
    }

    #[tokio::test]
    async fn a_host_without_a_certificate_that_is_trusted_is_not_believed() {
        let signed = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let key = rustls::pki_types::PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der());
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let server = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![signed.cert.der().clone()], key.into())
            .unwrap();
        let server = tokio_rustls::TlsAcceptor::from(std::sync::Arc::new(server));
        let fault = fault_of("https", move |stream| {
            let server = server.clone();
            async move {
                let _ = server.accept(stream).await;
            }
        });
        let fault = fault.await;
        let Fault::Certificate(why) = fault else {
            panic!("{fault:?}");
        };
        assert_eq!(why, "nobody who is trusted here signed its certificate");
        assert!(!fault.may_pass());
    }

    #[test]
    fn each_kind_of_bad_certificate_has_its_words() {
        let kinds = [
            CertificateError::Expired,
            CertificateError::NotValidYet,
            CertificateError::NotValidForName,
            CertificateError::UnknownIssuer,
            CertificateError::Revoked,
            CertificateError::BadSignature,
        ];
        let said = kinds.map(|kind| {
            let error = io::Error::other(rustls::Error::InvalidCertificate(kind));
            of_cause(&error).unwrap().to_string()
        });
        let mut different = said.to_vec();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), said.len(), "{said:?}");
    }

    #[test]
    fn a_name_that_nobody_has_is_not_one_that_could_not_be_looked_up() {
        let lookup = |why: &str| {
            let said = format!("failed to lookup address information: {why}");
            of_cause(&io::Error::other(said)).unwrap()
        };
        let none = lookup("Name or service not known");
        assert_eq!((none.clone(), none.may_pass()), (Fault::NoHost, false));
        assert_eq!(lookup("No address associated with hostname"), Fault::NoHost);
        let later = lookup("Temporary failure in name resolution");
        assert_eq!((later.clone(), later.may_pass()), (Fault::NoNames, true));
        let refused = Refused::NoPublicAddress("x.test".to_owned());
        let said = refused.to_string();
        let fault = of_cause(&io::Error::other(refused)).unwrap();
        assert_eq!((fault.to_string(), fault.may_pass()), (said, false));
    }
}

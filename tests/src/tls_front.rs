//! What stands before a program that is served to several people: it speaks TLS, by a certificate of its
//! own, and passes on what comes.

use std::sync::Arc;

use anyhow::Result;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// A front that listens and passes nothing on yet.
pub struct TlsFront {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl TlsFront {
    /// One on a free port.
    pub async fn new() -> Result<Self> {
        let signed = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
        let key = PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der());
        let server = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![signed.cert.der().clone()], key.into())?;
        Ok(Self {
            listener: TcpListener::bind("127.0.0.1:0").await?,
            acceptor: TlsAcceptor::from(Arc::new(server)),
        })
    }

    /// Its address.
    pub fn address(&self) -> Result<String> {
        Ok(format!("https://{}", self.listener.local_addr()?))
    }

    /// Passes on to a port of this machine, until the test ends.
    pub fn pass_on(self, port: u16) {
        tokio::spawn(async move {
            while let Ok((stream, _)) = self.listener.accept().await {
                let acceptor = self.acceptor.clone();
                tokio::spawn(async move {
                    let mut outer = acceptor.accept(stream).await?;
                    let mut inner = TcpStream::connect(("127.0.0.1", port)).await?;
                    tokio::io::copy_bidirectional(&mut outer, &mut inner).await
                });
            }
        });
    }
}

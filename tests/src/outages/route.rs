//! The way of one program to the database, which can be cut: through a port of this machine to the
//! server's socket.

use std::path::PathBuf;

use anyhow::Result;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;

/// How a way is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// All gets through.
    Open,
    /// Connections are ended, and new ones too.
    Ended,
    /// Nothing gets through, and nobody is told.
    Silent,
}

/// See the module.
pub struct Route {
    port: u16,
    way: watch::Sender<Way>,
}

impl Route {
    /// An open way to a server's socket.
    pub async fn to(socket: PathBuf) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let (way, seen) = watch::channel(Way::Open);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (socket, seen) = (socket.clone(), seen.clone());
                tokio::spawn(async move {
                    // Both ends see that it is over.
                    let _ = carry(stream, socket, seen).await;
                });
            }
        });
        Ok(Self { port, way })
    }

    /// The port that leads there.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Makes it so.
    pub fn make(&self, way: Way) {
        self.way.send_replace(way);
    }
}

async fn carry(client: TcpStream, socket: PathBuf, seen: watch::Receiver<Way>) -> Result<()> {
    let mut ended = seen.clone();
    let (from_client, to_client) = client.into_split();
    let both = async {
        let server = UnixStream::connect(socket).await?;
        let (from_server, to_server) = server.into_split();
        tokio::select! {
            done = copy(from_client, to_server, seen.clone()) => done,
            done = copy(from_server, to_client, seen) => done,
        }
    };
    tokio::select! {
        done = both => done,
        gone = ended.wait_for(|way| *way == Way::Ended) => gone.map(|_| ()).map_err(Into::into),
    }
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut seen: watch::Receiver<Way>,
) -> Result<()> {
    let mut bytes = vec![0; 64 << 10];
    loop {
        let length = from.read(&mut bytes).await?;
        seen.wait_for(|way| *way != Way::Silent).await?;
        if length == 0 {
            return Ok(());
        }
        to.write_all(&bytes[..length]).await?;
    }
}

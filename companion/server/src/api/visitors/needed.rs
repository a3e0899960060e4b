//! What a request of the dashboard takes: a role in all topics, or in the topic that its path is about.
//! What is not named here takes a role in all of them.

use axum::http::Method;

use super::Visitor;
use crate::api::App;
use crate::api::auth::is_open_file;
use linkscent_service::ServiceError;
use linkscent_store::Role;

/// What a path is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A topic by its number.
    Topic(i64),
    /// A crawl by its number.
    Crawl(i64),
}

/// What a request takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needed {
    /// It is open to all.
    Nothing,
    /// To be signed in. What lies behind looks itself which topics are asked for.
    SignIn,
    /// A role that makes topics.
    MakesTopics,
    /// A role in all topics.
    Everywhere(Role),
    /// A role in one.
    In(Subject, Role),
    /// There is no such thing.
    Absent,
}

/// What is done with a request of somebody who is signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is let in.
    Fine,
    /// They may know that it is there, but not do it.
    Refused,
    /// They may not know whether it is there.
    Absent,
}

impl Needed {
    /// What that request takes.
    pub fn of(method: &Method, path: &str) -> Self {
        let reads = matches!(*method, Method::GET | Method::HEAD);
        let mut parts = path.split('/').skip(1);
        let first = parts.next().unwrap_or_default();
        let second = parts.next().unwrap_or_default();
        match first {
            "sign-in" | "sign-out" => Self::Nothing,
            "feed" if reads => Self::Nothing,
            _ if is_open_file(path) => Self::Nothing,
            "" | "account" | "lists" => Self::SignIn,
            "settings" | "accounts" => Self::Everywhere(Role::Owner),
            "topics" => Self::MakesTopics,
            "topic" => Self::about(Subject::Topic, second, reads, path),
            "crawl" => Self::about(Subject::Crawl, second, reads, path),
            "library" => match second {
                "kept" | "why" | "versions" => {
                    let crawl = parts.next().unwrap_or_default();
                    Self::about(Subject::Crawl, crawl, reads, path)
                }
                "mark" | "seen" | "pages" | "undo" | "note" | "searches" => Self::SignIn,
                _ if reads => Self::SignIn,
                _ => Self::Everywhere(Role::Editor),
            },
            _ if reads => Self::Everywhere(Role::Reader),
            _ => Self::Everywhere(Role::Editor),
        }
    }

    fn about(subject: fn(i64) -> Subject, number: &str, reads: bool, path: &str) -> Self {
        // What a router may read as a number in another way is none.
        let Ok(number) = number.parse() else {
            return Self::Absent;
        };
        let role = match path.rsplit('/').next() {
            Some("delete" | "people") => Role::Owner,
            _ if reads => Role::Reader,
            _ => Role::Editor,
        };
        Self::In(subject(number), role)
    }

    /// Whether somebody may do it; from here on it is known what they may where they are.
    pub async fn judge(self, app: &App, visitor: &mut Visitor) -> Result<Verdict, ServiceError> {
        let (subject, needed) = match self {
            Self::In(subject, needed) => (subject, needed),
            Self::Nothing | Self::SignIn => return Ok(Verdict::Fine),
            Self::Absent => return Ok(Verdict::Absent),
            Self::MakesTopics if visitor.role.makes_topics() => return Ok(Verdict::Fine),
            Self::Everywhere(role) if visitor.role >= role => return Ok(Verdict::Fine),
            Self::MakesTopics | Self::Everywhere(_) => return Ok(Verdict::Refused),
        };
        let topic = match subject {
            Subject::Topic(topic) => app.service.topics.has(topic).await?.then_some(topic),
            Subject::Crawl(crawl) => app.service.crawls.topic_of(crawl).await?,
        };
        let Some(topic) = topic else {
            return Ok(Verdict::Absent);
        };
        let role = visitor.role_in(topic);
        if role < Role::Reader {
            return Ok(Verdict::Absent);
        }
        visitor.here = role;
        Ok(if role >= needed {
            Verdict::Fine
        } else {
            Verdict::Refused
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_take_what_they_are_for() {
        let get = |path: &str| Needed::of(&Method::GET, path);
        let post = |path: &str| Needed::of(&Method::POST, path);
        let topic = |role| Needed::In(Subject::Topic(1), role);
        let crawl = |role| Needed::In(Subject::Crawl(2), role);
        for path in ["/", "/library", "/library/take/ris", "/account"] {
            assert_eq!(get(path), Needed::SignIn, "{path}");
        }
        for path in [
            "/crawl/2",
            "/crawl/2/live",
            "/library/kept/2/7",
            "/library/why/2/7",
        ] {
            assert_eq!(get(path), crawl(Role::Reader), "{path}");
        }
        assert_eq!(get("/topic/1"), topic(Role::Reader));
        assert_eq!(get("/topic/1/people"), topic(Role::Owner));
        for path in ["/topic/1/remove", "/topic/1/mark", "/topic/1"] {
            assert_eq!(post(path), topic(Role::Editor), "{path}");
        }
        assert_eq!(post("/crawl/2/pause"), crawl(Role::Editor));
        assert_eq!(Needed::of(&Method::DELETE, "/topic/1"), topic(Role::Editor));
        assert_eq!(post("/crawl/2/delete"), crawl(Role::Owner));
        assert_eq!(post("/topic/1/people"), topic(Role::Owner));
        for path in [
            "/topic/%31",
            "/topic/",
            "/crawl/x/pause",
            "/library/why/%32/7",
            "/topic",
        ] {
            assert_eq!(get(path), Needed::Absent, "{path}");
        }
        for path in [
            "/library/mark",
            "/library/searches/drop",
            "/lists",
            "/account",
        ] {
            assert_eq!(post(path), Needed::SignIn, "{path}");
        }
        for path in ["/settings", "/settings/token", "/accounts"] {
            assert_eq!(post(path), Needed::Everywhere(Role::Owner), "{path}");
            assert_eq!(get(path), Needed::Everywhere(Role::Owner), "{path}");
        }
        for path in ["/workers", "/sign-ins", "/new"] {
            assert_eq!(get(path), Needed::Everywhere(Role::Reader), "{path}");
        }
        for path in ["/library/new", "/new", "/feed/secret"] {
            assert_eq!(post(path), Needed::Everywhere(Role::Editor), "{path}");
        }
        for path in ["/topics", "/topics/file/bytes"] {
            assert_eq!(post(path), Needed::MakesTopics, "{path}");
        }
        for path in ["/sign-in", "/style.css", "/feed/secret"] {
            assert_eq!(get(path), Needed::Nothing, "{path}");
        }
    }
}

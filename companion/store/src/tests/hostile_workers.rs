//! A hostile worker: somebody who signs in to the database with the role of a worker, by whatever client,
//! reads all that the role may read, and calls whatever it may call. Honest work goes on beside it.

mod holding_up;
mod impersonating;
mod rights;

use std::borrow::Cow;
use std::time::Duration;

use sqlx::error::DatabaseError;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use super::workers::Stage;
use crate::postgres::Workers;
use crate::{Asked, DailyBudget, Turn, Turns};

/// The documentation, whose statements make the roles.
const SCALE: &str = include_str!("../../../docs/scale.md");
/// What the statements name.
const GROUP: &str = "linkscent_workers";
const WORKER: &str = "reading_room";
/// Nothing that honest programs do here takes as long, however busy the machine is.
const SOON: Duration = Duration::from_mins(1);
const ANY: DailyBudget = DailyBudget {
    requests: None,
    bytes: None,
};
const HOST: Asked<'_> = Asked {
    host: "a.test",
    server: None,
};

/// A stage, and the addresses by which two workers sign in to its database.
struct Roles {
    stage: Stage,
    honest: String,
    hostile: String,
}

impl Roles {
    /// Two roles, as the documentation makes them; `None` without PostgreSQL.
    async fn new() -> Option<Self> {
        let stage = Stage::new().await?;
        let (before, sql) = SCALE.split_once("```sql\n").unwrap();
        assert!(before.contains("role of its own"));
        let (sql, _) = sql.split_once("```").unwrap();
        let database = stage.address.rsplit('/').next().unwrap();
        let [honest, hostile] = ["honest", "hostile"].map(|who| format!("{who}_{database}"));
        for (who, role) in [&honest, &hostile].into_iter().enumerate() {
            let sql = sql.replace(GROUP, &format!("workers_{database}"));
            let sql = sql.replace(WORKER, role);
            let sql = sql.replace(" TO linkscent;", " TO postgres;");
            // The group is there already for the second.
            let statements = sql.split_inclusive(';').skip(2 * who);
            for statement in statements.filter(|statement| !statement.trim().is_empty()) {
                let made = sqlx::query(AssertSqlSafe(statement.to_owned()));
                made.execute(stage.workers.pool()).await.unwrap();
            }
        }
        let own = |role: &str| {
            let as_role = format!("postgres://{role}@");
            stage.address.replace("postgres://postgres@", &as_role)
        };
        Some(Self {
            honest: own(&honest),
            hostile: own(&hostile),
            stage,
        })
    }

    async fn hostile(&self) -> PgConnection {
        PgConnection::connect(&self.hostile).await.unwrap()
    }
}

/// Whether a worker can take a request and have its answer accepted, and ask a host.
async fn works(stage: &Stage, address: &str) {
    let workers = Workers::connect(address).await.unwrap();
    let number = stage.ask(1, &["honest work"]).await[0];
    let mut presence = workers.join("honest").await.unwrap();
    assert!(presence.live("").await.unwrap());
    stage.keep_alive().await;
    let leases = workers.take(presence.secret(), &[], 100).await.unwrap();
    let lease = leases.iter().find(|lease| lease.number == number).unwrap();
    let host = Asked {
        host: "honest.test",
        server: None,
    };
    let turns = Turns::of_worker(&workers, presence.secret(), 1);
    assert_eq!(turns.take(&host, 0, ANY, 0).await.unwrap(), Turn::Ours);
    turns.give_back(&host, 0, 0, 5).await.unwrap();
    let said = [(lease.lease, b"page".to_vec())];
    let taken = workers.answer(presence.secret(), &said).await.unwrap();
    assert_eq!(taken, [lease.lease]);
    assert!(
        stage
            .answers(1)
            .await
            .contains(&(number, "page".to_owned()))
    );
    presence.leave().await.unwrap();
}

async fn run(session: &mut PgConnection, statement: &str) -> Result<(), String> {
    let run = sqlx::raw_sql(AssertSqlSafe(statement.to_owned()));
    match run.execute(session).await {
        Ok(_) => Ok(()),
        Err(error) => {
            let code = error.as_database_error().and_then(DatabaseError::code);
            Err(code.map_or_else(|| error.to_string(), Cow::into_owned))
        }
    }
}

/// Refused for lack of rights.
async fn is_denied(session: &mut PgConnection, statement: &str) {
    let refused = run(session, statement).await;
    assert_eq!(refused.unwrap_err(), "42501", "{statement}");
}

//! Accounts, sign-ins and audit entries as rows.

use async_trait::async_trait;

#[cfg(feature = "team")]
use super::PostgresStore;
use super::{SqliteStore, text};
use crate::clock;
use crate::ports::{AccountRow, Accounts, AuditEntry, MOST_SIGN_INS, Role, Topic, Topics};
use crate::{StoreError, StoreResult};

/// Number, name, role and when it was made.
type Row = (i64, String, String, i64);
type WithPassword = (i64, String, String, i64, String);
type WithUse = (i64, String, String, i64, i64);
type WithRole = (i64, String, String, i64, String);

macro_rules! accounts {
    ($store:ty) => {
        #[async_trait]
        impl Accounts for $store {
            async fn add_account(
                &self,
                name: &str,
                role: Role,
                password: &str,
                now: i64,
            ) -> StoreResult<i64> {
                let row: (i64,) = sqlx::query_as(
                    "INSERT INTO account (name, role, password, created)
                     VALUES ($1, $2, $3, $4) RETURNING id",
                )
                .bind(name)
                .bind(role.name())
                .bind(password)
                .bind(now)
                .fetch_one(&self.pool)
                .await?;
                Ok(row.0)
            }

            async fn accounts(&self) -> StoreResult<Vec<AccountRow>> {
                let rows: Vec<Row> =
                    sqlx::query_as("SELECT id, name, role, created FROM account ORDER BY name")
                        .fetch_all(&self.pool)
                        .await?;
                rows.into_iter().map(account).collect()
            }

            async fn account(&self, name: &str) -> StoreResult<Option<(AccountRow, String)>> {
                let row: Option<WithPassword> = sqlx::query_as(
                    "SELECT id, name, role, created, password FROM account WHERE name = $1",
                )
                .bind(name)
                .fetch_optional(&self.pool)
                .await?;
                row.map(with_password).transpose()
            }

            async fn account_of(&self, subject: &str) -> StoreResult<Option<(AccountRow, String)>> {
                let row: Option<WithPassword> = sqlx::query_as(
                    "SELECT id, name, role, created, password FROM account WHERE subject = $1",
                )
                .bind(subject)
                .fetch_optional(&self.pool)
                .await?;
                row.map(with_password).transpose()
            }

            async fn bind_account(&self, id: i64, subject: &str) -> StoreResult<bool> {
                let bound = sqlx::query(
                    "UPDATE account SET subject = $1 WHERE id = $2 AND subject IS NULL",
                )
                .bind(subject)
                .bind(id)
                .execute(&self.pool)
                .await?;
                Ok(bound.rows_affected() > 0)
            }

            async fn unbind_account(&self, id: i64) -> StoreResult<()> {
                let mut transaction = self.pool.begin().await?;
                sqlx::query("UPDATE account SET subject = NULL WHERE id = $1")
                    .bind(id)
                    .execute(&mut *transaction)
                    .await?;
                sqlx::query("DELETE FROM sign_in WHERE account = $1")
                    .bind(id)
                    .execute(&mut *transaction)
                    .await?;
                transaction.commit().await?;
                Ok(())
            }

            async fn set_role(&self, id: i64, role: Role) -> StoreResult<()> {
                sqlx::query("UPDATE account SET role = $1 WHERE id = $2")
                    .bind(role.name())
                    .bind(id)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }

            async fn set_password(&self, id: i64, password: &str) -> StoreResult<()> {
                let mut transaction = self.pool.begin().await?;
                sqlx::query("UPDATE account SET password = $1 WHERE id = $2")
                    .bind(password)
                    .bind(id)
                    .execute(&mut *transaction)
                    .await?;
                sqlx::query("DELETE FROM sign_in WHERE account = $1")
                    .bind(id)
                    .execute(&mut *transaction)
                    .await?;
                transaction.commit().await?;
                Ok(())
            }

            async fn remove_account(&self, id: i64) -> StoreResult<()> {
                sqlx::query("DELETE FROM account WHERE id = $1")
                    .bind(id)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }

            async fn sign_in(
                &self,
                digest: &str,
                account: i64,
                password: &str,
                now: i64,
                ended: i64,
            ) -> StoreResult<bool> {
                let mut transaction = self.pool.begin().await?;
                sqlx::query("DELETE FROM sign_in WHERE used < $1")
                    .bind(ended)
                    .execute(&mut *transaction)
                    .await?;
                // Nobody gives it another password meanwhile.
                let held =
                    sqlx::query("UPDATE account SET id = id WHERE id = $1 AND password = $2")
                        .bind(account)
                        .bind(password)
                        .execute(&mut *transaction)
                        .await?;
                if held.rows_affected() == 0 {
                    return Ok(false);
                }
                sqlx::query("INSERT INTO sign_in (digest, account, used) VALUES ($1, $2, $3)")
                    .bind(digest)
                    .bind(account)
                    .bind(now)
                    .execute(&mut *transaction)
                    .await?;
                sqlx::query(
                    "DELETE FROM sign_in WHERE account = $1 AND digest NOT IN (
                        SELECT digest FROM sign_in WHERE account = $1
                        ORDER BY used DESC, digest LIMIT $2)",
                )
                .bind(account)
                .bind(MOST_SIGN_INS)
                .execute(&mut *transaction)
                .await?;
                transaction.commit().await?;
                Ok(true)
            }

            async fn signed_in(
                &self,
                digest: &str,
                since: i64,
            ) -> StoreResult<Option<(AccountRow, i64)>> {
                let row: Option<WithUse> = sqlx::query_as(
                    "SELECT account.id, name, role, created, used FROM sign_in
                     JOIN account ON account.id = account WHERE digest = $1 AND used >= $2",
                )
                .bind(digest)
                .bind(since)
                .fetch_optional(&self.pool)
                .await?;
                let row = row.map(|(id, name, role, created, used)| {
                    Ok((account((id, name, role, created))?, used))
                });
                row.transpose()
            }

            async fn sign_in_used(&self, digest: &str, now: i64) -> StoreResult<()> {
                sqlx::query("UPDATE sign_in SET used = $1 WHERE digest = $2")
                    .bind(now)
                    .bind(digest)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }

            async fn sign_out(&self, digest: &str) -> StoreResult<()> {
                sqlx::query("DELETE FROM sign_in WHERE digest = $1")
                    .bind(digest)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }

            async fn found_topic(&self, key: &str, account: i64) -> StoreResult<Option<Topic>> {
                let mut transaction = self.pool.begin().await?;
                let made: Option<(i64,)> = sqlx::query_as(
                    "INSERT INTO topic (name, created) VALUES ($1, $2)
                     ON CONFLICT DO NOTHING RETURNING id",
                )
                .bind(text(key))
                .bind(clock::now())
                .fetch_optional(&mut *transaction)
                .await?;
                let Some((topic,)) = made else {
                    return Ok(None);
                };
                sqlx::query("INSERT INTO topic_role (account, topic, role) VALUES ($1, $2, $3)")
                    .bind(account)
                    .bind(topic)
                    .bind(Role::Owner.name())
                    .execute(&mut *transaction)
                    .await?;
                transaction.commit().await?;
                self.topic(topic).await
            }

            async fn set_topic_role(
                &self,
                account: i64,
                topic: i64,
                role: Option<Role>,
            ) -> StoreResult<()> {
                let statement = match role {
                    Some(_) => {
                        "INSERT INTO topic_role (account, topic, role) VALUES ($1, $2, $3)
                         ON CONFLICT (account, topic) DO UPDATE SET role = excluded.role"
                    }
                    None => "DELETE FROM topic_role WHERE account = $1 AND topic = $2",
                };
                let mut query = sqlx::query(statement).bind(account).bind(topic);
                if let Some(role) = role {
                    query = query.bind(role.name());
                }
                query.execute(&self.pool).await?;
                Ok(())
            }

            async fn topic_roles(&self, account: i64) -> StoreResult<Vec<(i64, Role)>> {
                let rows: Vec<(i64, String)> = sqlx::query_as(
                    "SELECT topic, role FROM topic_role WHERE account = $1 ORDER BY topic",
                )
                .bind(account)
                .fetch_all(&self.pool)
                .await?;
                let rows = rows.into_iter();
                rows.map(|(topic, name)| Ok((topic, role(account, &name)?)))
                    .collect()
            }

            async fn people_of(&self, topic: i64) -> StoreResult<Vec<(AccountRow, Role)>> {
                let rows: Vec<WithRole> = sqlx::query_as(
                    "SELECT account.id, name, account.role, created, topic_role.role
                     FROM topic_role JOIN account ON account.id = account
                     WHERE topic = $1 ORDER BY name",
                )
                .bind(topic)
                .fetch_all(&self.pool)
                .await?;
                let rows = rows.into_iter();
                rows.map(|(id, name, everywhere, created, here)| {
                    let row = account((id, name, everywhere, created))?;
                    Ok((row, role(id, &here)?))
                })
                .collect()
            }

            async fn put_audit_entry(
                &self,
                audit_entry: &AuditEntry,
                most: i64,
            ) -> StoreResult<()> {
                let mut transaction = self.pool.begin().await?;
                let row: (i64,) = sqlx::query_as(
                    "INSERT INTO deed (time, account, what) VALUES ($1, $2, $3) RETURNING id",
                )
                .bind(audit_entry.time)
                .bind(&audit_entry.account)
                .bind(&audit_entry.what)
                .fetch_one(&mut *transaction)
                .await?;
                sqlx::query("DELETE FROM deed WHERE id <= $1")
                    .bind(row.0.saturating_sub(most))
                    .execute(&mut *transaction)
                    .await?;
                transaction.commit().await?;
                Ok(())
            }

            async fn audit_entries(&self, most: i64) -> StoreResult<Vec<AuditEntry>> {
                let rows: Vec<(i64, String, String)> = sqlx::query_as(
                    "SELECT time, account, what FROM deed ORDER BY id DESC LIMIT $1",
                )
                .bind(most.max(0))
                .fetch_all(&self.pool)
                .await?;
                let audit_entries = rows.into_iter().map(|(time, account, what)| AuditEntry {
                    time,
                    account,
                    what,
                });
                Ok(audit_entries.collect())
            }
        }
    };
}

accounts!(SqliteStore);
#[cfg(feature = "team")]
accounts!(PostgresStore);

fn account((id, name, named, created): Row) -> StoreResult<AccountRow> {
    Ok(AccountRow {
        id,
        name,
        role: role(id, &named)?,
        created,
    })
}

fn with_password(
    (id, name, role, created, password): WithPassword,
) -> StoreResult<(AccountRow, String)> {
    Ok((account((id, name, role, created))?, password))
}

fn role(account: i64, name: &str) -> StoreResult<Role> {
    let unknown = || StoreError::Unreadable(format!("what account {account} may do"));
    Role::named(name).ok_or_else(unknown)
}

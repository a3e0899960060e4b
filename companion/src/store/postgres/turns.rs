//! Whose turn it is to ask a host, where many programs share a database: by its clock, and in one call.
//! See [`Turns`](crate::store::Turns) for what holds wherever it is kept.

use anyhow::Result;
use sqlx::PgPool;

use super::Hands;
use crate::store::turns::{LONGEST_REST, Turn};
use crate::store::{DailyBudget, StoreError};

/// The turns of one crawl in one program.
#[derive(Debug, Clone)]
pub struct SharedTurns {
    pool: PgPool,
    crawl: i64,
    /// The hand, or what tells the program that runs the crawl itself from others.
    process: i64,
    is_hand: bool,
}

impl SharedTurns {
    /// For a hand's request; whoever gives the hand up gives its turns back.
    pub(in crate::store) fn of_hand(hands: &Hands, hand: i64, crawl: i64) -> Self {
        Self {
            pool: hands.pool().clone(),
            crawl,
            process: hand,
            is_hand: true,
        }
    }

    /// For a crawl that this program runs, and nobody else. Turns that it left open when it was killed
    /// are given back: their hosts rest now.
    pub(in crate::store) async fn open(
        hands: &Hands,
        crawl: i64,
        process: i64,
        delay: u64,
    ) -> Result<Self> {
        let turns = Self {
            is_hand: false,
            ..Self::of_hand(hands, process, crawl)
        };
        sqlx::query(
            "UPDATE rest SET crawl = 0, free = clock_ms() + greatest($1, delay), since = clock_ms()
             WHERE crawl = $2 AND process <> $3 AND process NOT IN (SELECT id FROM hand)",
        )
        .bind(i64::try_from(delay)?)
        .bind(crawl)
        .bind(process)
        .execute(&turns.pool)
        .await
        .map_err(StoreError::from)?;
        sqlx::query("SELECT forget_hosts()")
            .execute(&turns.pool)
            .await
            .map_err(StoreError::from)?;
        Ok(turns)
    }

    /// Takes a turn: of a host and of its server, as keys. The host rests so long should its asker die.
    /// `now` is only what the answer counts from.
    pub(in crate::store) async fn take(
        &self,
        keys: &[i64],
        now: i64,
        budget: DailyBudget,
        delay: u64,
    ) -> Result<Turn> {
        let most = |most: Option<u64>| most.map(|most| i64::try_from(most).unwrap_or(i64::MAX));
        let statement = if self.is_hand {
            "SELECT what, again FROM hand_takes_turn($1, $2, $3, $4, $5, $6)"
        } else {
            "SELECT what, again FROM turn_take($1, $2, $3, 60000, $4, $5, $6)"
        };
        let (what, again): (String, i64) = sqlx::query_as(statement)
            .bind(keys)
            .bind(self.crawl)
            .bind(self.process)
            .bind(
                i64::try_from(delay)
                    .unwrap_or(LONGEST_REST)
                    .min(LONGEST_REST),
            )
            .bind(most(budget.requests.map(u64::from)))
            .bind(most(budget.bytes))
            .fetch_one(&self.pool)
            .await
            .map_err(StoreError::from)?;
        Ok(match &*what {
            "ours" => Turn::Ours,
            "rests" => Turn::Rests(now + again),
            "spent" => Turn::Spent(now + again),
            "gone" => Turn::Gone,
            _ => Turn::Taken,
        })
    }

    /// Gives a turn back.
    pub(in crate::store) async fn give_back(
        &self,
        keys: &[i64],
        rest: u64,
        bytes: u64,
    ) -> Result<()> {
        let rest = i64::try_from(rest)
            .unwrap_or(LONGEST_REST)
            .min(LONGEST_REST);
        let statement = if self.is_hand {
            "SELECT hand_gives_turn_back($1, $2, $3, $4, $5)"
        } else {
            "SELECT turn_give_back($1, $2, $3, $4, $5)"
        };
        sqlx::query(statement)
            .bind(keys)
            .bind(self.crawl)
            .bind(self.process)
            .bind(rest)
            .bind(i64::try_from(bytes).unwrap_or(i64::MAX))
            .execute(&self.pool)
            .await
            .map_err(StoreError::from)?;
        Ok(())
    }
}

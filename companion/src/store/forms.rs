//! Searchable forms that crawls found.

use anyhow::Result;

use super::Store;

/// A form and the page it stands on.
#[derive(Debug, Clone)]
pub struct FormRow {
    /// The page.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Pages from the seed to the page, newest first.
    pub trail: Vec<String>,
    /// What the form is called by on its page.
    pub name: String,
    /// Where it sends what is entered, as written.
    pub action: String,
    /// Names of the fields that are seen.
    pub fields: Vec<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// Whether its database is one looked for.
    pub wanted: bool,
}

type FormTuple = (String, String, String, String, String, String, f64, bool);

impl Store {
    /// The forms of a crawl: those looked for first, then by confidence.
    pub async fn forms(&self, crawl: i64, most: i64) -> Result<Vec<FormRow>> {
        let rows: Vec<FormTuple> = sqlx::query_as(
            "SELECT fetch.address, title, trail, name, action, fields, confidence, wanted
             FROM form JOIN fetch USING (crawl, number) WHERE crawl = ?
             ORDER BY wanted DESC, confidence DESC, number LIMIT ?",
        )
        .bind(crawl)
        .bind(most)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(form).collect())
    }

    /// How many forms of a crawl lead to databases that are looked for.
    pub async fn count_forms(&self, crawl: i64) -> Result<u64> {
        let row: (i64,) = sqlx::query_as("SELECT count(*) FROM form WHERE crawl = ? AND wanted")
            .bind(crawl)
            .fetch_one(&self.pool)
            .await?;
        Ok(row.0 as u64)
    }
}

fn form(row: FormTuple) -> FormRow {
    let (address, title, trail, name, action, fields, confidence, wanted) = row;
    FormRow {
        address,
        title,
        trail: serde_json::from_str(&trail).unwrap_or_default(),
        name,
        action,
        fields: serde_json::from_str(&fields).unwrap_or_default(),
        confidence,
        wanted,
    }
}

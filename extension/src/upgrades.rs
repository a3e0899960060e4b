//! Brings the extension's database to the form this version knows, step by step. A step
//! that was released is never changed.
//!
//! All steps that are due are one transaction: where one fails, the database stays as it
//! was. A database with steps that this version does not know is left alone.

use crate::ports::{DatabaseError, Table};

/// What a step may do. Every change is part of the one transaction.
pub trait Upgrade {
    /// Makes an empty table; an error if it is there already.
    fn create_table(&mut self, table: Table) -> Result<(), String>;
}

/// One step.
pub struct Step {
    /// The form it leads to; forms are counted from 1 without a gap.
    pub form: u32,
    /// What it does.
    pub take: fn(&mut dyn Upgrade) -> Result<(), String>,
}

/// All steps, oldest first.
pub const STEPS: [Step; 4] = [
    Step {
        form: 1,
        take: first,
    },
    Step {
        form: 2,
        take: paths,
    },
    Step {
        form: 3,
        take: steps,
    },
    Step {
        form: 4,
        take: pages,
    },
];
/// The form of this version, which is the database's version number in the browser.
pub const NEWEST: u32 = STEPS[STEPS.len() - 1].form;

fn first(database: &mut dyn Upgrade) -> Result<(), String> {
    let tables = [
        Table::Values,
        Table::TopicModels,
        Table::Marks,
        Table::Trails,
        Table::Outbox,
    ];
    for table in tables {
        database.create_table(table)?;
    }
    Ok(())
}

/// Where a person came from in each tab.
fn paths(database: &mut dyn Upgrade) -> Result<(), String> {
    database.create_table(Table::Paths)
}

/// What a topic model has read since it was kept, and the ledger.
fn steps(database: &mut dyn Upgrade) -> Result<(), String> {
    database.create_table(Table::Steps)?;
    database.create_table(Table::Ledger)
}

/// Targets as they were shown.
fn pages(database: &mut dyn Upgrade) -> Result<(), String> {
    database.create_table(Table::Pages)
}

/// Takes the steps that a database of form `from` lacks; 0 is an empty one. After an
/// error the caller takes back what was done.
pub fn upgrade(from: u32, steps: &[Step], database: &mut dyn Upgrade) -> Result<(), DatabaseError> {
    for step in steps.iter().filter(|step| step.form > from) {
        let form = step.form;
        (step.take)(database).map_err(|why| DatabaseError::Upgrade { form, why })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Remembers what was asked of it.
    #[derive(Default)]
    struct Asked(Vec<Table>);

    impl Upgrade for Asked {
        fn create_table(&mut self, table: Table) -> Result<(), String> {
            if self.0.contains(&table) {
                return Err(format!("{} is there already", table.name()));
            }
            self.0.push(table);
            Ok(())
        }
    }

    fn step(form: u32, take: fn(&mut dyn Upgrade) -> Result<(), String>) -> Step {
        Step { form, take }
    }

    #[test]
    fn forms_are_counted_without_a_gap() {
        for (place, step) in STEPS.iter().enumerate() {
            assert_eq!(step.form as usize, place + 1);
        }
    }

    #[test]
    fn an_empty_database_gets_every_table() {
        let mut made = Asked::default();
        upgrade(0, &STEPS, &mut made).unwrap();
        made.0.sort_unstable();
        assert_eq!(made.0, Table::ALL);
    }

    #[test]
    fn only_what_is_due_is_done_and_in_order() {
        let steps = [
            step(1, first),
            step(2, |database| database.create_table(Table::Marks)),
            step(3, |database| database.create_table(Table::Trails)),
        ];
        let mut made = Asked::default();
        upgrade(1, &steps, &mut made).unwrap();
        assert_eq!(made.0, [Table::Marks, Table::Trails]);
        let mut made = Asked::default();
        upgrade(3, &steps, &mut made).unwrap();
        assert!(made.0.is_empty());
    }

    #[test]
    fn a_step_that_fails_says_which_and_ends_it() {
        let steps = [
            step(1, |database| database.create_table(Table::Marks)),
            step(2, |_| Err("no room".to_owned())),
            step(3, |database| database.create_table(Table::Trails)),
        ];
        let mut made = Asked::default();
        let error = upgrade(0, &steps, &mut made).unwrap_err();
        let why = "no room".to_owned();
        assert_eq!(error, DatabaseError::Upgrade { form: 2, why });
        assert_eq!(made.0, [Table::Marks], "nothing after it is tried");
    }
}

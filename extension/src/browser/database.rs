//! The database in the browser's `IndexedDB`.

use std::cell::RefCell;
use std::rc::Rc;

use idb::{
    Database as Idb, DatabaseEvent, Event, Factory, ObjectStore, ObjectStoreParams, Query, Request,
    Transaction, TransactionMode, TransactionResult, event::VersionChangeEvent,
};
use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};

use super::Browser;
use crate::js_values::{give, take};
use crate::ports::{BrowserError, Database, DatabaseError, Table, Value, Write};
use crate::upgrades::{NEWEST, STEPS, Upgrade, upgrade};

const NAME: &str = "linkscent";
/// What a browser calls it when a database is of a newer form than it was asked for.
const NEWER: &str = "VersionError";

impl From<idb::Error> for DatabaseError {
    fn from(error: idb::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Opens the database, made if it is not there. One of an earlier form is brought to the
/// newest; one of a newer form is left alone.
pub async fn open() -> Result<Idb, DatabaseError> {
    let mut request = Factory::new()?.open(NAME, Some(NEWEST))?;
    let failed = Rc::new(RefCell::new(None));
    let told = Rc::clone(&failed);
    request.on_upgrade_needed(move |event| {
        told.replace(take_steps(&event).err());
    });
    let opened = request.await;
    if let Some(error) = failed.take() {
        return Err(error);
    }
    opened.map_err(|error| match &error {
        idb::Error::DomException(exception) if exception.name() == NEWER => {
            DatabaseError::Newer { known: NEWEST }
        }
        _ => error.into(),
    })
}

/// Takes the steps that are due. If one fails, the transaction that holds them all is
/// taken back; opening the database then fails.
fn take_steps(event: &VersionChangeEvent) -> Result<(), DatabaseError> {
    let mut database = event.database()?;
    let done = upgrade(event.old_version()?, &STEPS, &mut database);
    if done.is_err()
        && let Some(transaction) = event.target()?.transaction()
    {
        transaction.abort()?;
    }
    done
}

impl Upgrade for Idb {
    fn create_table(&mut self, table: Table) -> Result<(), String> {
        self.create_object_store(table.name(), ObjectStoreParams::new())
            .map(drop)
            .map_err(|error| error.to_string())
    }
}

impl Browser {
    fn transaction(&self, mode: TransactionMode) -> Result<Transaction, DatabaseError> {
        let tables = Table::ALL.map(Table::name);
        Ok(self.database.transaction(&tables, mode)?)
    }

    fn table(&self, table: Table) -> Result<ObjectStore, DatabaseError> {
        let transaction = self.transaction(TransactionMode::ReadOnly)?;
        Ok(transaction.object_store(table.name())?)
    }
}

impl Database for Browser {
    async fn get(&self, table: Table, key: &str) -> Result<Option<Value>, DatabaseError> {
        let value = self.table(table)?.get(JsValue::from(key))?.await?;
        value.map(value_of).transpose()
    }

    async fn all(&self, table: Table) -> Result<Vec<Value>, DatabaseError> {
        let values = self.table(table)?.get_all(None, None)?.await?;
        values.into_iter().map(value_of).collect()
    }

    async fn first(&self, table: Table, most: u32) -> Result<Vec<Value>, DatabaseError> {
        let values = self.table(table)?.get_all(None, Some(most))?.await?;
        values.into_iter().map(value_of).collect()
    }

    async fn keys(&self, table: Table) -> Result<Vec<String>, DatabaseError> {
        let keys = self.table(table)?.get_all_keys(None, None)?.await?;
        keys.into_iter().map(|key| take(key).map_err(row)).collect()
    }

    async fn write(&self, writes: Vec<Write>) -> Result<(), DatabaseError> {
        // What cannot be written is found before anything is.
        let writes: Vec<JsWrite> = writes.into_iter().map(js_write).collect::<Result<_, _>>()?;
        let transaction = self.transaction(TransactionMode::ReadWrite)?;
        if let Err(error) = writes.iter().try_for_each(|write| add(&transaction, write)) {
            transaction.abort()?;
            return Err(error);
        }
        // A disk that is full shows only here.
        match transaction.commit()?.await? {
            TransactionResult::Committed => Ok(()),
            TransactionResult::Aborted => Err(DatabaseError::Failed(
                "it took everything back; is there room on the disk?".to_owned(),
            )),
        }
    }

    async fn drop_deleted(&self) {
        // What is deleted is gone for everybody who asks the database, also if this fails.
        let _ = self.tools.call("dropDeleted", &[]).await;
    }
}

/// A write as the browser takes it.
enum JsWrite {
    Put(Table, JsValue, JsValue),
    Delete(Table, JsValue),
    Clear(Table),
}

fn js_write(write: Write) -> Result<JsWrite, DatabaseError> {
    Ok(match write {
        Write::Put(table, key, value) => JsWrite::Put(table, key.into(), js_value(&value)?),
        Write::Delete(table, key) => JsWrite::Delete(table, key.into()),
        Write::Clear(table) => JsWrite::Clear(table),
    })
}

fn add(transaction: &Transaction, write: &JsWrite) -> Result<(), DatabaseError> {
    match write {
        JsWrite::Put(table, key, value) => {
            let store = transaction.object_store(table.name())?;
            store.put(value, Some(key))?;
        }
        JsWrite::Delete(table, key) => {
            let key = Query::Key(key.clone());
            transaction.object_store(table.name())?.delete(key)?;
        }
        JsWrite::Clear(table) => {
            transaction.object_store(table.name())?.clear()?;
        }
    }
    Ok(())
}

fn value_of(value: JsValue) -> Result<Value, DatabaseError> {
    match value.dyn_into::<Uint8Array>() {
        Ok(bytes) => Ok(Value::Bytes(bytes.to_vec())),
        Err(value) => Ok(Value::Json(take(value).map_err(row)?)),
    }
}

fn js_value(value: &Value) -> Result<JsValue, DatabaseError> {
    match value {
        Value::Json(value) => give(value).map_err(row),
        Value::Bytes(bytes) => Ok(Uint8Array::from(bytes.as_slice()).into()),
    }
}

fn row(error: BrowserError) -> DatabaseError {
    DatabaseError::Row(error.0)
}

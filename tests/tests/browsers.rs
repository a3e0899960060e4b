//! Tests that hold a browser, and those beside them of what it reads. `cargo verify` runs them one at a
//! time: a second browser would wait for a processor.

mod dashboard;
mod first_minutes;
mod hand_over;
mod hostile_pages;
mod in_hand;
mod keeping;
mod languages;
mod library;
mod look;
mod menus;
mod old_data;
mod overlay;
mod page_side;
mod panel;
mod paths;
mod people;
mod privacy;
mod same_page;
mod saved_copy;
mod speed;
mod stories;
mod strings;
mod through_browser;
mod wasm;

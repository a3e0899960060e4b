//! Training of the linear support vector machine on rows of a file, in the format of LIBSVM: a
//! line each of a label, 1 or -1, and `feature:value` pairs. `beside_liblinear.py` draws them and
//! has LIBLINEAR train on the same.
//!
//! `cargo bench --package linkscent-models --bench svm -- FILE`

use std::error::Error;
use std::time::Instant;

use linkscent_models::LinearSvm;

/// Times over the file; the best counts.
const ROUNDS: usize = 5;

type Row = (Vec<(u32, f64)>, bool);

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().skip(1).find(|name| name != "--bench");
    let Some(file) = file else {
        println!("name the file that beside_liblinear.py draws");
        return Ok(());
    };
    let text = std::fs::read_to_string(file)?;
    let rows = text.lines().map(row).collect::<Result<Vec<Row>, _>>()?;
    let rows: Vec<(&[(u32, f64)], bool)> = rows
        .iter()
        .map(|(cells, is_good)| (cells.as_slice(), *is_good))
        .collect();
    let (mut svm, mut seconds) = (LinearSvm::default(), f64::INFINITY);
    for _ in 0..ROUNDS {
        let began = Instant::now();
        svm = LinearSvm::train(&rows, [1.0, 1.0]);
        seconds = seconds.min(began.elapsed().as_secs_f64());
    }
    println!("{} {seconds}", loss(&svm, &rows));
    Ok(())
}

fn row(line: &str) -> Result<Row, Box<dyn Error>> {
    let mut parts = line.split(' ');
    let is_good = parts.next() == Some("1");
    let mut cells = Vec::new();
    for part in parts {
        let (feature, value) = part.split_once(':').ok_or("a cell has no value")?;
        cells.push((feature.parse()?, value.parse()?));
    }
    Ok((cells, is_good))
}

/// What training makes as small as it can.
fn loss(svm: &LinearSvm, rows: &[(&[(u32, f64)], bool)]) -> f64 {
    let features = rows.iter().flat_map(|row| row.0).map(|cell| cell.0);
    let most = features.max().unwrap_or(0);
    let squares: f64 = (0..=most).map(|feature| svm.weight(feature).powi(2)).sum();
    let hinge = rows.iter().map(|(row, is_good)| {
        let sign = if *is_good { 1.0 } else { -1.0 };
        (1.0 - sign * svm.margin(row)).max(0.0).powi(2)
    });
    0.5 * (squares + svm.bias().powi(2)) + hinge.sum::<f64>()
}

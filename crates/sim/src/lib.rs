//! Virtual time for the cell.

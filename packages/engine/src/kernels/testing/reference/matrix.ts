/** Row-major float64 matrix. */
export class Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float64Array;

  constructor(rows: number, columns: number, data: Float64Array = new Float64Array(rows * columns)) {
    this.rows = rows;
    this.columns = columns;
    this.data = data;
  }

  at(row: number, column: number): number {
    return this.data[row * this.columns + column] as number;
  }

  set(row: number, column: number, value: number): void {
    this.data[row * this.columns + column] = value;
  }

  add(row: number, column: number, value: number): void {
    this.data[row * this.columns + column] = this.at(row, column) + value;
  }

  row(row: number): Float64Array {
    return this.data.subarray(row * this.columns, (row + 1) * this.columns);
  }
}

export function zerosLike(other: Matrix): Matrix {
  return new Matrix(other.rows, other.columns);
}

/** A value at a step. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

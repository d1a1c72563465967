/** What a page of charts looks like to its reader. */
export interface MeasuredPage {
  /** Texts of a drawing that lie on each other, in pairs. */
  readonly overlapping: readonly string[];
  /** Texts that a drawing cuts off. */
  readonly clipped: readonly string[];
  /** Texts that a curve or an arrow runs through. */
  readonly onCurves: readonly string[];
  /** Size of the smallest text, in pixels of the screen. */
  readonly smallestText: number;
  /** The least contrast of a text with what is behind it (WCAG 2). */
  readonly leastContrast: number;
  /** Pixels that the page is wider than its window. */
  readonly sideways: number;
  readonly drawings: number;
  /** Levels of the headings, in their order. */
  readonly headings: readonly number[];
  /** Drawings without a name, a description or a table of their values. */
  readonly unexplained: readonly string[];
}

/** Measures the page that it runs in. */
export function measurePage(): MeasuredPage;

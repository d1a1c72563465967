/** Where the figures of one line come from: rows of a raw file, and what of them is shown. */
export interface FigureSource {
  readonly page: string;
  /** Text of the page; `{}` stands for a figure, in the order of `rows` and, within one, of `show`. */
  readonly text: string;
  /** A list in JSON, or JSON lines, relative to the repository. */
  readonly file: string;
  /** Each selects rows by the values at paths (`after.tokens`). */
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
  /** `OF PATH[|PATH] [/ PATH] [* NUMBER] DIGITS`: the mean of the paths. OF is mean, sd, last or list (each row's value, then the mean). */
  readonly show?: readonly string[];
  /** Instead of `rows` and `show`: each figure by itself. */
  readonly figures?: readonly { readonly row: Readonly<Record<string, unknown>>; readonly show: string }[];
}

/** Tables whose numbers are no measurements: all of a page, or those with this first line. */
export interface FigureConstant {
  readonly page: string;
  readonly header?: string;
  readonly reason: string;
}

/** `docs/figures.json`. */
export interface FigureList {
  readonly sources: readonly FigureSource[];
  readonly constants: readonly FigureConstant[];
  /** Numbers in tables of a page that have no source yet. This list only gets shorter. */
  readonly unsourced: Readonly<Record<string, number>>;
}

/** A number of a page: `why` is the raw file, the reason of a constant, or `null`. */
export interface Figure {
  readonly page: string;
  readonly line: number;
  readonly table: boolean;
  readonly figure: string;
  readonly why: string | null;
}

/** The line of the page as its raw file gives it. Throws where a file, row or field is not there. */
export function renderFigure(source: FigureSource): string;
/** Every number of README, docs and the packages' READMEs. */
export function everyFigure(list: FigureList): Figure[];
export function readFigureList(): FigureList;

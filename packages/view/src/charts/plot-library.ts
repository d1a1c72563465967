import type { PlotOptions } from "@observablehq/plot";
import { visibleText } from "@laconic/core/text";
import { fontSize } from "./text-size.ts";

type Library = typeof import("@observablehq/plot");

/** Observable Plot with the document it draws into. */
export interface Plot extends Omit<Library, "plot"> {
  /** The drawing as SVG markup, in the size that the options say; text in it is escaped. */
  svg(options: PlotOptions & { readonly width: number; readonly height: number }, texts: SvgTexts): string;
}

/** What stands in the root of a drawing beside its marks. Everything here is markup: the caller has escaped it. */
export interface SvgTexts {
  /** Further attributes of the root element. */
  readonly attributes: string;
  /** Before the marks: title, description, style. */
  readonly before: string;
}

let loaded: Promise<Plot> | undefined;

/** Loaded when the first chart is drawn: 0.2 to 0.3 s that no other command pays. */
export function loadPlot(): Promise<Plot> {
  return (loaded ??= load());
}

async function load(): Promise<Plot> {
  const [library, { parseHTML }] = await Promise.all([import("@observablehq/plot"), import("linkedom/worker")]);
  const { document } = parseHTML("<!doctype html><html><body></body></html>") as unknown as {
    readonly document: NonNullable<PlotOptions["document"]>;
  };
  return {
    ...library,
    svg(options, { attributes, before }) {
      const drawn = library.plot({ ...options, document, figure: false }) as unknown as { readonly innerHTML: string };
      // The library's own sheet sets a white background and a size: the page says both.
      // Names in it may be a model's: XML forbids some of their characters, and others turn what stands beside them.
      const marks = visibleText(drawn.innerHTML).replace(/<style>[\s\S]*?<\/style>/u, "");
      const texts = `fill="currentColor" text-anchor="middle" font-size="${fontSize}"`;
      return `<svg viewBox="0 0 ${options.width} ${options.height}" ${texts} ${attributes}>${before}${shortened(marks)}</svg>`;
    },
  };
}

/** Coordinates, which stand in tags, to a hundredth of a unit: all that a screen shows. */
function shortened(markup: string): string {
  return markup.replaceAll(/<[^>]*>/gu, (tag) =>
    tag.replaceAll(/-?\d+\.\d{3,}/gu, (digits) => String(Number(Number(digits).toFixed(2)))),
  );
}

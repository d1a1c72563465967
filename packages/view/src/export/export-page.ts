import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { configError } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import { escapeHtml } from "@laconic/core/text";
import type { TokenizerOf } from "../api.ts";
import { folderData } from "../data/folder-data.ts";
import type { RecordedBench, RecordedRun, RecordedView } from "../protocol.ts";
import type { ViewData } from "../requests.ts";
import type { ViewerOptions } from "../viewer.ts";
import { webFolder } from "../web-folder.ts";
import { embeddedBytes, embeddedJson, recordBench, recordRun, type Recording } from "./record.ts";

/** Options of `exportPage`. */
export interface ExportOptions extends Pick<ViewerOptions, "folders" | "pages" | "note" | "tokenizerOf"> {
  /** Default 3 MB. */
  readonly maxBytes?: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const checkOptions = optionCheck<ExportOptions>()("exportPage", "folders maxBytes now pages note tokenizerOf");

/** Page in one file. */
export interface ExportedPage {
  readonly html: string;
  readonly bytes: number;
  /** Missing data, one sentence each. */
  readonly leftOut: readonly string[];
}

/** The newest are kept. */
const maxEach = 40;

/**
 * Exports a dashboard as one file without server and requests.
 * @throws LaconicError `config_invalid` for a folder that is missing, empty, or too large
 */
export async function exportPage(options: ExportOptions): Promise<ExportedPage> {
  checkOptions(options);
  const { folders, maxBytes = 3_000_000, now, note } = options;
  const data = await folderData({ folders });
  try {
    const folder = options.pages ?? (await webFolder(note));
    const [script, style] = await Promise.all(
      ["page.js", "page.css"].map((name) => readFile(join(folder, "exported", name), "utf8")),
    );
    const page = (view: RecordedView): string => pageOf(titleOf(view), script ?? "", style ?? "", view);
    const empty: RecordedView = { made: now, start: "#/runs", leftOut: [], runs: [], benches: [] };
    const room = maxBytes - Buffer.byteLength(page(empty)) - reserved;
    const view = await recordView(data, empty, room, options.tokenizerOf ?? (async () => null));
    const html = page(view);
    const bytes = Buffer.byteLength(html);
    if (bytes > maxBytes)
      throw configError(
        `the smallest copy of ${folders.join(", ")} has ${bytes} bytes, above the limit of ${maxBytes}; name fewer runs, or raise the limit`,
        { bytes, maxBytes },
      );
    return { html, bytes, leftOut: view.leftOut };
  } finally {
    await data.close();
  }
}

/** Room for addresses and notes about missing data. */
const reserved = 20_000;

async function recordView(
  data: ViewData,
  empty: RecordedView,
  room: number,
  tokenizerOf: TokenizerOf,
): Promise<RecordedView> {
  const matches = (await data.runs()).filter(({ state }) => state !== "foreign");
  const tables = await data.benches();
  const [runs, benches] = [matches.slice(0, maxEach), tables.slice(0, maxEach)];
  const count = runs.length + benches.length;
  if (count === 0) throw configError("no runs or benches in these folders");
  const leftOut: string[] = [];
  if (matches.length > runs.length) leftOut.push(`runs: the ${runs.length} newest of ${matches.length} are included`);
  if (tables.length > benches.length) leftOut.push(`benches: ${benches.length} of ${tables.length} are included`);
  // Unused bytes pass to the next run or bench.
  let [left, others] = [room, count];
  const taken = <T>(name: string, { recorded, leftOut: lacks }: Recording<T>): T => {
    left -= embeddedBytes(recorded);
    leftOut.push(...lacks.map((lack) => (count === 1 ? lack : `${name}: ${lack}`)));
    return recorded;
  };
  const view = { ...empty, leftOut, runs: [] as RecordedRun[], benches: [] as RecordedBench[] };
  for (const { id, name } of runs) view.runs.push(taken(name, await recordRun(data, id, left / others--, tokenizerOf)));
  for (const table of benches) view.benches.push(taken(table.name, await recordBench(data, table, left / others--)));
  return { ...view, start: startOf(view) };
}

function startOf({ runs, benches }: RecordedView): string {
  const [run, bench] = [runs[0], benches[0]];
  if (runs.length === 1 && run) return `#/run/${run.detail.summary.id}`;
  if (runs.length > 1) return `#/compare/plane?${runs.map(({ detail }) => `sel=${detail.summary.id}`).join("&")}`;
  return bench && benches.length === 1 ? `#/bench/${bench.table.id}` : "#/benches";
}

function titleOf({ runs, benches }: RecordedView): string {
  const names = [...runs.map(({ detail }) => detail.summary.name), ...benches.map(({ table }) => table.name)];
  return names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
}

function pageOf(title: string, script: string, style: string, view: RecordedView): string {
  // An inlined end tag would cut the script or style.
  if (/<\/script|<!--/iu.test(script) || /<\/style/iu.test(style))
    throw new Error("the built page ends its own element; build it again");
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Laconic</title><style>${style}</style></head><body><div id="root"></div>
<noscript>This page draws runs in your browser, and needs JavaScript for it. It loads nothing from other machines.</noscript>
<script type="application/json" id="recorded">${embeddedJson(view)}</script><script>${script}</script></body></html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

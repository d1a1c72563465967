import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import type { ReadStream } from "node:tty";
import { styleText } from "node:util";
import { formatNumber, visibleText } from "@laconic/core/text";
import type { Progress } from "@laconic/runtime";
import { downloadProgress, spinner, type StatusLine } from "./progress.ts";
import { fitted } from "./wrapped.ts";

export interface Terminal extends Progress, StatusLine {
  /** Writes to standard output. */
  result(line: string): void;
  readonly columns: number;
  /** Adds colour if allowed (`NO_COLOR`, pipes). */
  paint(style: "bold" | "dim" | "green" | "yellow" | "red" | "cyan", text: string): string;
  /** Asks for a line; null at end of input. Absent without a terminal. */
  readonly question?: (text: string) => Promise<string | null>;
}

/** Placeholder for our colour escapes; other text cannot contain it. */
const colourMark = randomUUID();

/** Makes control characters visible, except our colours. */
function shown(line: string): string {
  return line.split(colourMark).map(visibleText).join("\u001b");
}

/** Adds progress, and escapes control characters in all text. */
export function withProgress(raw: Omit<Terminal, Exclude<keyof Progress, "note">>): Terminal {
  const { question: ask } = raw;
  const base: typeof raw = {
    interactive: raw.interactive,
    get columns() {
      return raw.columns;
    },
    result: (line) => raw.result(shown(line)),
    note: (line) => raw.note(shown(line)),
    status: (line) => raw.status(shown(line)),
    paint: (style, text) => raw.paint(style, visibleText(text)).replaceAll("\u001b", colourMark),
    ...(ask && { question: (text: string) => ask(shown(text)) }),
  };
  const progress: Omit<Progress, "note"> = {
    warn: (message) => base.note(`${base.paint("yellow", "warning")}: ${message}`),
    begin: (activity) => spinner(base, activity),
    download: (name) => downloadProgress(name, base),
    retry: (attempt, reason) => base.note(`${base.paint("yellow", "retry")} ${attempt}: ${reason}`),
    warmStartStep: ({ step, steps, loss }) => {
      const line = `warm start: step ${step}/${steps}  loss ${formatNumber(loss)}`;
      if (base.interactive) base.status(step === steps ? "" : line);
      else if (step % 50 === 0 || step === steps) base.note(line);
    },
  };
  return Object.assign(base, progress);
}

export function printResult<T>(
  terminal: Terminal,
  json: boolean | undefined,
  value: T,
  text: (value: T) => string,
): void {
  terminal.result(json ? visibleJson(value) : text(value));
}

export function processTerminal(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream, stdin?: ReadStream): Terminal {
  const colour = stderr.isTTY && process.env["NO_COLOR"] === undefined && process.env["TERM"] !== "dumb";
  let statusShown = false;
  const clear = (): void => {
    if (statusShown) stderr.write("\r\u001b[2K");
    statusShown = false;
  };
  return withProgress({
    interactive: stderr.isTTY,
    get columns() {
      return columnsOf(stderr);
    },
    paint: (style, text) => (colour ? styleText(style, text) : text),
    result: (line) => {
      clear();
      stdout.write(`${stdout.isTTY ? fitted(line, columnsOf(stdout)) : line}\n`);
    },
    note: (line) => {
      clear();
      stderr.write(`${stderr.isTTY ? fitted(line, columnsOf(stderr)) : line}\n`);
    },
    status: (line) => {
      if (!stderr.isTTY) return;
      stderr.write(`\r\u001b[2K${line.slice(0, columnsOf(stderr) - 1)}`);
      statusShown = true;
    },
    ...(stdin?.isTTY && stderr.isTTY && { question: (text) => question(text, stdin, stderr) }),
  });
}

/** 0 means unknown. */
function columnsOf({ columns }: NodeJS.WriteStream): number {
  return columns > 0 ? columns : 80;
}

function question(text: string, input: ReadStream, output: NodeJS.WriteStream): Promise<string | null> {
  const lines = createInterface({ input, output });
  return new Promise((resolve) => {
    lines.once("close", () => resolve(null)); // Ctrl-C, Ctrl-D
    lines.question(text, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/** Escapes all characters that {@link visibleText} would replace. */
export function visibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/[^\n -~]/gu, (character) =>
    visibleText(character) === character ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

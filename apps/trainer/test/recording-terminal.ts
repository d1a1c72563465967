import { withProgress, type Terminal } from "../src/cli/terminal.ts";

export interface RecordingTerminal extends Terminal {
  readonly out: string[];
  readonly err: string[];
}

export function recordingTerminal(): RecordingTerminal {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = withProgress({
    interactive: false,
    columns: 80,
    result: (line) => void out.push(line),
    note: (line) => void err.push(line),
    status: () => undefined,
    paint: (_, text) => text,
  });
  return { ...terminal, out, err };
}

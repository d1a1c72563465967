import { cotProtocols } from "./cot.ts";
import type { Protocol } from "./protocol.ts";

const votes = {
  source: "Wang et al. 2023",
  published: "sc",
  temperature: 0.7,
  votes: { kind: "plurality" },
} as const;

function named(protocol: Protocol<"answer">, prefix: string): string {
  return protocol.id.replace("cot/", prefix);
}

/** Samples of the CoT prompt and their plurality: five, as papers on teams take. */
export const scProtocols: readonly Protocol<"answer">[] = cotProtocols.map((protocol) => ({
  ...protocol,
  ...votes,
  source: "Wang et al. 2023; N = 5 as ADAS@2702bee8 and the tables of multi-agent papers",
  id: named(protocol, "sc/"),
  samples: 5,
  calls: { least: 5, most: 5 },
  labels: { ...protocol.labels, temperature: "K", samples: "S", votes: "K", calls: "S" },
}));

/** As in its own paper: forty. */
export const sc40Protocols: readonly Protocol<"answer">[] = cotProtocols.map((protocol) => ({
  ...protocol,
  ...votes,
  id: named(protocol, "sc/40-"),
  samples: 40,
  calls: { least: 40, most: 40 },
  labels: { ...protocol.labels, temperature: "K", samples: "K", votes: "K", calls: "K" },
  differs: [...protocol.differs, "Tables of multi-agent papers take five samples."],
}));

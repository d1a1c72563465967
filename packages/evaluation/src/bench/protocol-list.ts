import { baselines, describeProtocol, scoringMethods, type Protocol, type ProtocolText } from "@laconic/baselines";
import { methodSpec } from "./bench-config.ts";

/**
 * Protocols of published methods as data.
 * @param names - comma-separated. Default: all
 * @throws LaconicError `config_invalid` for an unknown method
 */
export function listedProtocols(names?: string): { method: string; title: string; protocols: readonly Protocol[] }[] {
  const selected = names
    ?.split(",")
    .map((part) => methodSpec(part.trim()))
    .flatMap(({ name, run }) => (run === null ? [name] : []));
  return [...baselines, ...scoringMethods.filter(({ protocols }) => protocols)]
    .filter(({ name }) => selected?.includes(name) ?? true)
    .map(({ name, title, protocols = [] }) => ({ method: name, title, protocols }));
}

/** Protocols of published methods as text. */
export function protocolList(names?: string): string {
  return listedProtocols(names)
    .map(({ method, title, protocols }) =>
      [`${method}: ${title}`, ...protocols.map((protocol) => entry(describeProtocol(protocol)))].join("\n"),
    )
    .join("\n\n");
}

function entry(text: ProtocolText): string {
  const settings = [
    `${text.calls} ${text.calls === "1" ? "call" : "calls"}`,
    ...(text.size === "" ? [] : [text.size]),
    `temperature ${text.temperature}`,
    `at most ${text.ceiling} tokens per reply`,
    `examples ${text.shots}`,
    `stops ${text.stops}`,
    `answer is ${text.votes}`,
    `dealt ${text.partition.replace(/\.$/u, "")}`,
  ];
  const lines = [`  ${text.name}  for ${text.questions}`, settings.join("; "), `not as published: ${text.differs}`];
  return lines.join("\n    ");
}

import { baselines, describeProtocol, scoringMethods, type Protocol, type ProtocolText } from "@laconic/baselines";
import { methodSpec } from "./bench-config.ts";

/** A method and the protocols it is played by. */
export interface ListedMethod {
  readonly method: string;
  readonly title: string;
  readonly protocols: readonly Protocol[];
}

/**
 * How published methods are played, as data.
 * @param names - with commas; all by default
 * @throws LaconicError `config_invalid` for a method that does not exist
 */
export function listedProtocols(names?: string): ListedMethod[] {
  const wanted = names
    ?.split(",")
    .map((each) => methodSpec(each.trim()))
    .flatMap(({ name, run }) => (run === null ? [name] : []));
  return [...baselines, ...scoringMethods.filter(({ protocols }) => protocols)]
    .filter(({ name }) => wanted?.includes(name) ?? true)
    .map(({ name, title, protocols = [] }) => ({ method: name, title, protocols }));
}

/** How published methods are played, in words. */
export function protocolList(names?: string): string {
  return listedProtocols(names)
    .map(({ method, title, protocols }) =>
      [`${method}: ${title}`, ...protocols.map((protocol) => entry(describeProtocol(protocol)))].join("\n"),
    )
    .join("\n\n");
}

function entry({
  name,
  questions,
  calls,
  temperature,
  ceiling,
  shots,
  size,
  stops,
  votes,
  partition,
  differs,
}: ProtocolText): string {
  const settings = [
    `${calls} ${calls === "1" ? "call" : "calls"}`,
    ...(size === "" ? [] : [size]),
    `temperature ${temperature}`,
    `at most ${ceiling} tokens a reply`,
    `examples ${shots}`,
    `stops ${stops}`,
    `answer is ${votes}`,
    `dealt ${partition.replace(/\.$/u, "")}`,
  ];
  return [`  ${name}  for ${questions}`, `    ${settings.join("; ")}`, `    not as published: ${differs}`].join("\n");
}

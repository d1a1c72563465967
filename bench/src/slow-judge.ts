/** Program of examples/endpoint with a judge that is usually fast and sometimes very slow. */
import { setTimeout as sleep } from "node:timers/promises";
import { randomFromSeed } from "@laconic/core";

const random = randomFromSeed(`judge ${process.env["LACONIC_PROGRAM"]}`);
const plain = globalThis.fetch;

/** Log-normal: median 0.5 s, one in a hundred above 8 s. */
function judgeMs(): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform());
  return 500 * Math.exp(1.2 * normal);
}

globalThis.fetch = async (address, request) => {
  if (typeof address === "string" && address.endsWith("/reward")) await sleep(judgeMs());
  return plain(address, request);
};

await import("../../examples/endpoint/team.ts");

import { LaconicError, thrownText } from "@laconic/core";
import type { Failure } from "./messages.ts";

export function failureOf(during: Failure["during"], error: unknown): Failure {
  const code = LaconicError.is(error) ? error.code : "unexpected";
  const message = thrownText(error);
  return { during, code, message: LaconicError.is(error) ? advised(error.code, message) : message };
}

function advised(code: LaconicError["code"], message: string): string {
  if (code === "device_unavailable" && message.includes("wasm SIMD"))
    return "This browser has no WebAssembly SIMD, which the team computes with. Chrome 91, Firefox 89, Safari 16.4 and all later ones have it: update the browser, or open this page in another. Node trains the same team: npx laconic quickstart.";
  if (code === "checkpoint_mismatch" || code === "checkpoint_corrupt")
    return `${message}. The run cannot go on here; reset begins a new one.`;
  return message;
}

import type { ServerFault } from "./faults.ts";
import type { SimulatedServer } from "./machine.ts";
import { secret } from "./secret.ts";
import type { World } from "./world.ts";
import type { Program } from "./program.ts";

export interface Asked {
  readonly path: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Server of another machine; it continues after its client is gone. */
export interface Service {
  isUp(): boolean;
  answer(asked: Asked, how?: { readonly isLie?: boolean; readonly isRepeated?: boolean }): Promise<Answer>;
  /** Loses its memory and is away for a while. */
  restart(): void;
}

/** Milliseconds of a slow server: exceeds all timeouts for one reply. */
const slowMs = 900_000;

/** Routes requests to servers by origin. Independent delays let requests and replies overtake each other. */
export function network(world: World, services: (origin: string) => Service | undefined): SimulatedServer {
  const latency = world.random.split("network");
  let requests = 0;
  return (address, { method = "GET", headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const program = world.program as Program;
      const { origin, pathname, search } = new URL(address);
      const service = services(origin);
      const fault = world.faults.reply((requests += 1));
      const asked = { path: `${pathname}${search}`, method, headers: new Headers(headers), body: textOf(body) };
      const name = `${new URL(origin).host}${pathname}`;
      const letGo = world.hold(`a request to ${name}`);
      const delay = (): number => 2 + latency.integer(200);
      const abort = (): void => {
        letGo();
        reject(signal?.reason as Error);
      };
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      const settled = (settle: () => void) => (): void => {
        letGo();
        settle();
      };
      const reply = (label: string, settle: () => void): void =>
        void world.after(delay(), `reply of ${name}: ${label}`, settled(settle), program);
      const fail = (code: string): void =>
        reply(code, () => reject(Object.assign(new TypeError("fetch failed"), { cause: { code } })));
      const arrive = async (): Promise<void> => {
        if (!service?.isUp() || fault === "dead") return fail("ECONNREFUSED");
        if (fault === "status") return reply("status", () => resolve(busy(latency.integer(3))));
        if (fault === "restart") {
          service.restart();
          return fail("ECONNRESET");
        }
        const answer = await service.answer(asked, { isLie: fault === "lie" });
        if (fault === "duplicate")
          world.elsewhere(delay(), `again to ${name}`, () => void service.answer(asked, { isRepeated: true }));
        if (fault === "lost") return fail("ECONNRESET");
        reply(fault ?? String(answer.status), () => resolve(responseOf(answer, fault)));
      };
      world.elsewhere(fault === "slow" ? slowMs : delay(), `request to ${name}`, () => void arrive());
    });
}

/** Echoes the request's key, as some proxies do. */
function busy(which: number): Response {
  const status = [429, 500, 503][which] as number;
  return Response.json({ error: { message: `not now, ${secret}` } }, { status });
}

function responseOf(
  { status, text, headers = { "content-type": "application/json" } }: Answer,
  fault: ServerFault | null,
): Response {
  if (fault === "garbage") return new Response(`<html>${secret}`, { status, headers });
  if (fault !== "cut") return new Response(text, { status, headers });
  const half = new TextEncoder().encode(text.slice(0, text.length / 2));
  let isSent = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isSent) controller.error(new TypeError("terminated"));
      else controller.enqueue(half);
      isSent = true;
    },
  });
  return new Response(body, { status, headers });
}

function textOf(body: RequestInit["body"]): string {
  if (body === null || body === undefined) return "";
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  throw new Error("a body of this kind is not simulated");
}

import type { Server } from "node:http";

/** Connections that have said all that they will are looked for this often. */
const sweepMs = 50;

/**
 * Stops listening and lets what is in the making end; after `graceMs` every connection is cut, whatever is half sent.
 * Resolves when none is left.
 */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  const idle = (): void => server.closeIdleConnections();
  idle();
  const sweep = setInterval(idle, sweepMs);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

import { LaconicError } from "@laconic/core";
import type { FleetClock } from "./clock.ts";
import type { SamplingServer } from "./servers/sampling-server.ts";
import type { FleetOptions } from "./fleet-options.ts";
import type { Member } from "./member.ts";
import type { WaitingRequests } from "./waiting-requests.ts";

/** The end of a note. */
export const leftOut = "; the server is in quarantine until it passes a probe";

/** What recovery has of its fleet. */
export interface RecoveryOptions extends Pick<FleetOptions, "onNote" | "onQuarantine" | "patienceMs"> {
  readonly members: readonly Member[];
  readonly waiting: WaitingRequests;
  readonly clock: FleetClock;
  /** What a server in quarantine has to pass; null where it stays there. */
  readonly probe: () => ((server: SamplingServer) => Promise<unknown>) | null;
  readonly isClosed: () => boolean;
  /** A server may be asked again, or requests have failed. */
  readonly onChanged: () => void;
}

/**
 * Looks after servers that are not asked: paused ones say that they are well, those in quarantine pass a probe. Where none works for too long,
 * requests fail.
 */
export class Recovery {
  readonly #options: RecoveryOptions;
  /** Every server is in quarantine, and each is being probed. */
  #lastChance = false;
  /** When a reply was last taken, and since when somebody waits for a server. */
  #workedAtMs: number;
  #waitedSinceMs = 0;

  constructor(options: RecoveryOptions) {
    this.#options = options;
    this.#workedAtMs = options.clock.nowMs();
  }

  /** A reply was taken. */
  worked(): void {
    this.#workedAtMs = this.#options.clock.nowMs();
  }

  /** The first request begins to wait. */
  waits(): void {
    this.#waitedSinceMs = this.#options.clock.nowMs();
  }

  /** No server is asked any more, and none is on its way back. */
  get isHopeless(): boolean {
    return !this.#lastChance && this.#options.members.every(({ state }) => state === "quarantined");
  }

  /** Why servers are not asked. */
  get reasons(): string {
    return this.#options.members.flatMap(({ reason }) => reason ?? []).join("; ");
  }

  /** @throws LaconicError `api_unavailable` where no server has worked for too long */
  checkPatience(beganMs: number): void {
    const { clock } = this.#options;
    if (clock.nowMs() - Math.max(beganMs, this.#workedAtMs) > this.#patienceMs) throw this.#impatience();
  }

  /** Looks at servers whose time has come. @returns milliseconds to the next look; null where nobody waits for one */
  look(): number | null {
    const { members, waiting, clock, onNote, onChanged, isClosed } = this.#options;
    const now = clock.nowMs();
    const probe = this.#options.probe();
    const paused = members.filter(({ state }) => state === "paused");
    const isDue = ({ checking, retryAtMs }: Member): boolean => !checking && retryAtMs <= now;
    for (const member of paused.filter(isDue))
      void member.check().then((well) => {
        if (well) onNote?.(`${member.url}: is well again`);
        onChanged();
      });
    if (probe && !isClosed())
      for (const member of members)
        if (member.state === "quarantined" && isDue(member)) void this.#readmit(member).then(onChanged);
    const none = members.every(({ state }) => state !== "up");
    const sinceMs = Math.max(this.#workedAtMs, this.#waitedSinceMs);
    if (none && waiting.count > 0 && now - sinceMs > this.#patienceMs) {
      waiting.failAll(this.#impatience());
      return null;
    }
    const looked = probe ? members.filter(({ state }) => state !== "up") : paused;
    const next = Math.min(...looked.filter(({ checking }) => !checking).map(({ retryAtMs }) => retryAtMs));
    return waiting.count > 0 && Number.isFinite(next) ? Math.max(1, next - now) : null;
  }

  /** Tells of a server that has gone into quarantine, or come out of it. */
  tell({ url, state }: Member, reason: string, rest: string): void {
    const { onNote, onQuarantine = ({ message }) => onNote?.(message) } = this.#options;
    onQuarantine({ server: url, state: state === "quarantined" ? state : "up", reason, message: `${reason}${rest}` });
  }

  /** With every server in quarantine each is probed at once; where none passes, all requests fail. */
  failIfNone(error: LaconicError): void {
    if (!this.isHopeless) return;
    this.#lastChance = true;
    void this.#tryAll(error);
  }

  async #tryAll(last: LaconicError): Promise<void> {
    const { members, waiting, onChanged, probe } = this.#options;
    const idle = probe() ? members.filter(({ checking }) => !checking) : [];
    await Promise.all(idle.map((member) => this.#readmit(member)));
    this.#lastChance = false;
    if (this.isHopeless)
      waiting.failAll(new LaconicError(last.code, `no server is asked any more: ${this.reasons}`, last.detail, last));
    onChanged();
  }

  async #readmit(member: Member): Promise<void> {
    const probe = this.#options.probe();
    if (probe && (await member.readmit(probe)))
      this.tell(member, `${member.url}: has passed a probe`, ", and is asked again");
  }

  get #patienceMs(): number {
    return this.#options.patienceMs ?? 600_000;
  }

  #impatience(): LaconicError {
    const seconds = Math.round(this.#patienceMs / 1000);
    return new LaconicError("api_unavailable", `no server of the fleet worked for ${seconds} s: ${this.reasons}`);
  }
}

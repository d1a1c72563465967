import { createHash } from "node:crypto";
import { setImmediate as turnOfNode } from "node:timers";
import { randomFromSeed, type Random } from "../../packages/core/src/index.ts";
import { timedEvents } from "../../packages/trainer/src/testing/timed-events.ts";
import { Disk } from "./disk.ts";
import { FaultSchedule } from "./fault-schedule.ts";
import type { Fault } from "./faults.ts";
import { hear } from "./secret.ts";
import { Violation, type Ended, type Held, type Operation, type Program } from "./program.ts";

const realNow = (): number => process.uptime() * 1000;

/** Limits of events and virtual hours per seed; beyond them a program counts as endless. */
const limits = { events: 60_000, hours: 400 } as const;
/** Max open files, timers and requests of one program. */
const maxHeld = 256;
/** Max milliseconds from the end of a process's work, or its disk's last answer, to its exit. */
const maxLingerMs = 10_000;
/** Loop turns and real milliseconds without events before a deadlock is reported; lazy modules take some. */
const idle = { turns: 20_000, ms: 5000 } as const;

/** One machine: clock, disk, programs, and order of events. Everything is determined by the seed and the faults. */
export class World {
  readonly disk: Disk;
  readonly faults: FaultSchedule;
  readonly random: Random;
  now = 0;
  /** Milliseconds by which the wall clock is ahead of `now`. */
  wallOffset: number = Date.UTC(2026, 0, 1);
  events = 0;
  readonly lines: string[] | null;
  /** Set by a check during events: ends the seed. */
  violation: Violation | null = null;
  keyHosts: readonly string[] = [];
  /** The disk is slow up to this event. */
  slowUntil = -1;
  /** Program of the last event; until the next event, only its continuations run. */
  #current: Program | null = null;
  readonly #timed = timedEvents();
  readonly #running: Program[] = [];
  readonly #latency: Random;
  readonly #hash = createHash("sha256");
  #pids = 100;

  constructor(seed: string, faults: readonly Fault[], keepsLines = false) {
    this.random = randomFromSeed(seed);
    this.#latency = this.random.split("latency");
    this.faults = new FaultSchedule(faults);
    this.disk = new Disk(this.random.split("disk"));
    this.lines = keepsLines ? [] : null;
  }

  /** Running program; null outside the simulation, where Node answers. */
  get program(): Program | null {
    return this.#current;
  }

  wallClock(): number {
    return this.now + this.wallOffset;
  }

  trace(): string {
    return this.#hash.copy().digest("hex");
  }

  calm(): void {
    this.faults.calm();
    this.disk.fillUntil(0);
  }

  violate(message: string): void {
    this.violation ??= new Violation(message);
  }

  isAlive(pid: number): boolean {
    return this.#running.some((program) => program.pid === pid && program.isAlive);
  }

  hasStarted(pid: number): boolean {
    return this.#running.some((program) => program.pid === pid);
  }

  note(label: string): void {
    // Lock claims have numbers of the host process that increase over all seeds.
    const line = `${this.now.toFixed(3)} ${this.program?.pid ?? "-"} ${label.replaceAll(/LOCK\.[\w-]+\.\d+\.\d+/gu, "LOCK.claim")}`;
    this.#hash.update(`${line}\n`);
    this.lines?.push(line);
  }

  /** Starts a program. Resolves at its end or kill; its pending calls are then never answered. */
  start<T>(main: (program: Program) => Promise<T>): Promise<Ended<T>> {
    return new Promise((resolve) => {
      const program: Program = {
        pid: (this.#pids += 1),
        isAlive: true,
        pausedUntil: 0,
        diskUntil: 0,
        stop: new AbortController(),
        holds: new Set(),
        writes: new Set(),
        failures: [],
        whenOver: new Set(),
        end: resolve,
      };
      this.#running.push(program);
      const leaves = (ended: Ended<T>): void => {
        const why = ended.how === "failed" ? `: ${String(ended.error).slice(0, 300)}` : "";
        this.note(`program ${program.pid} is ${ended.how}${why}`);
        leave(program);
        resolve(ended);
      };
      const end = (ended: Ended<T>): void => this.#whenIdle(program, () => leaves(ended));
      this.#timed.at(this.now, () => {
        if (!program.isAlive) return;
        this.#current = program;
        this.note(`program ${program.pid} starts`);
        main(program).then(
          (value) => {
            this.expectWritten(program);
            if (program.failures.length > 0)
              this.violate(`program ${program.pid} says it is done, and this failed: ${program.failures.join(", ")}`);
            end({ how: "done", value });
          },
          (error: unknown) => {
            hear(this, `the error of program ${program.pid}`, error);
            end({ how: "failed", error });
          },
        );
      });
    });
  }

  /** Kills programs at once; a power loss ends all and loses unsynced data. */
  kill(by: "kill" | "power", only?: Program): void {
    this.note(by === "power" ? "power fails" : `program ${only?.pid} is killed`);
    if (by === "power") this.disk.losePower();
    for (const program of this.#running) {
      if (!program.isAlive || (only && program !== only)) continue;
      leave(program);
      program.end({ how: "killed", by });
    }
  }

  /** Counts a resource of the running program until the returned call. @param takeBack - releases it after a kill */
  hold(name: string, takeBack?: () => void): () => void {
    const { program } = this;
    const held: Held = { name, takeBack };
    program?.holds.add(held);
    if ((program?.holds.size ?? 0) > maxHeld)
      this.violate(`program ${program?.pid} holds ${maxHeld} open files and timers at once`);
    return () => void program?.holds.delete(held);
  }

  /** Checks that acknowledged data are durable now. @param mayBeLost - whether a file need not be */
  expectSafe(what: string, path: string, mayBeLost: (file: string) => boolean = () => false): void {
    const file = this.disk.unsafe(path).find((unsafe) => !mayBeLost(unsafe));
    if (file !== undefined) this.violate(`${what} is acknowledged, and a loss of power would take ${file}`);
  }

  /** The running program has reported its failed operations. */
  told(what: RegExp = /./u): void {
    const { failures = [] } = this.program ?? {};
    failures.splice(0, Infinity, ...failures.filter((failure) => !what.test(failure)));
  }

  /** Checks that a program awaited all disk operations before it reports completion. */
  expectWritten({ pid, writes }: Program): void {
    const [label] = writes;
    if (label !== undefined) this.violate(`program ${pid} says it is done, and did not wait: ${label}`);
  }

  /** Calls back after virtual milliseconds, unless the program is killed. */
  after(ms: number, label: string, go: () => void, program: Program | null = this.program): () => void {
    if (program && !program.isAlive) return () => undefined;
    return this.#whenRunning(program, ms, () => {
      this.#begin(program, label);
      this.faults.strike(this, program, null);
      if (!program || program.isAlive) go();
    });
  }

  /** Calls back after virtual milliseconds, independent of this machine's programs. */
  elsewhere(ms: number, label: string, go: () => void): void {
    this.#timed.at(this.now + ms, () => {
      this.#begin(null, label);
      go();
    });
  }

  /** Operation with a delay that may fail like the disk. */
  operation<T>(operation: Operation, apply: () => T): Promise<T> {
    const { program } = this;
    const { label } = operation;
    return new Promise((resolve, reject) => {
      if (program && !program.isAlive) return; // a dead program gets no answer
      const delay = this.#delay();
      if (operation.kind !== "read") program?.writes.add(label);
      if (program) program.diskUntil = Math.max(program.diskUntil, this.now + delay);
      this.#whenRunning(program, delay, () => {
        this.#begin(program, label);
        program?.writes.delete(label);
        try {
          const failure = this.faults.strike(this, program, operation);
          if (program && !program.isAlive) return;
          if (failure && operation.kind !== "read") program?.failures.push(label);
          if (failure) return reject(failure);
          resolve(apply());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Processes events in time order until the work is done. @throws Violation if it never is */
  async drive<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const end = (): void => void (isDone = true);
    work.then(end, end).finally(() => (this.#current = null));
    for (let [turns, since] = [0, 0]; !isDone;) {
      await new Promise<void>((go) => void turnOfNode(go));
      if (this.violation) throw this.violation;
      if (isDone) break;
      const event = this.#timed.next();
      if (!event) {
        if ((turns += 1) === 1) since = realNow();
        if (turns > idle.turns && realNow() - since > idle.ms)
          throw new Violation("it waits for ever: nothing is left that could happen");
        continue;
      }
      turns = 0;
      this.now = Math.max(this.now, event.time);
      if (this.events > limits.events || this.now > limits.hours * 3_600_000)
        throw new Violation(`it does not end: ${this.events} events, ${(this.now / 3_600_000).toFixed(1)} hours`);
      event.go();
    }
    return work;
  }

  /** Calls back after a delay and a program's pause, never after its kill. @returns a cancel function */
  #whenRunning(program: Program | null, ms: number, go: () => void): () => void {
    let callOff: () => void;
    const wait = (time: number): void => {
      callOff = this.#timed.at(time, () => {
        if (program && !program.isAlive) return;
        if (program && program.pausedUntil > this.now) wait(program.pausedUntil);
        else go();
      });
    };
    wait(this.now + ms);
    return () => callOff();
  }

  /** A process stays alive while it has files, timers or requests, as in Node. */
  #whenIdle(program: Program, go: () => void): void {
    const since = this.now;
    const look = (): void => {
      if (!program.isAlive) return;
      if (program.holds.size === 0) return go();
      const held = Array.from(program.holds, ({ name }) => name);
      if (this.now - Math.max(since, program.pausedUntil, program.diskUntil) > maxLingerMs)
        this.violate(`program ${program.pid} is over, and still holds ${held.join(", ")}`);
      else this.#timed.at(this.now + 50, look);
    };
    look();
  }

  #begin(program: Program | null, label: string): void {
    this.events += 1;
    this.#current = program;
    this.note(label);
  }

  /** Mostly microseconds; sometimes long enough for later events to come first. */
  #delay(): number {
    const [often, share] = [this.#latency.uniform(), this.#latency.uniform()];
    const ms = 0.01 + share * (often < 0.9 ? 0.2 : 20);
    return this.events < this.slowUntil ? ms * 1000 : ms;
  }
}

function leave(program: Program): void {
  program.isAlive = false;
  for (const { takeBack } of program.holds) takeBack?.();
  program.holds.clear();
  for (const tell of program.whenOver) tell();
}

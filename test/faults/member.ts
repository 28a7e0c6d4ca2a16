import { HandWorker } from "../support/handWorker.ts";
import { MAIN } from "../support/main.ts";
import { isRunning } from "../support/processes.ts";

/** As the unit has it that `weir install-service` writes. */
const RESTART_MS = 2_000;

export interface MemberOptions {
  /** What operators call it, as `worker-0`. */
  name: string;
  role: string;
  dataDir: string;
  env: Record<string, string>;
}

/** A process of Weir, one role, that is started again when it ends, as systemd or a container engine does. */
export class Member {
  /** How its processes have ended that were not asked to: exit codes, or signals. */
  readonly ends: (number | NodeJS.Signals)[] = [];
  private current: HandWorker;
  private earlier = "";
  /** Whether it is to run now. */
  private isWanted = true;
  private watching: Promise<void>;

  constructor(readonly options: MemberOptions) {
    this.current = this.spawn();
    this.watching = this.watch(this.current);
  }

  get name(): string {
    return this.options.name;
  }

  get pid(): number {
    return this.current.pid;
  }

  get isRunning(): boolean {
    return isRunning(this.pid);
  }

  /** What all of its processes have printed. */
  get output(): string {
    return this.earlier + this.current.output;
  }

  signal(signal: NodeJS.Signals): void {
    this.current.kill(signal);
  }

  /** Ends it by a signal, and does not start it again. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.isWanted = false;
    this.signal(signal);
    await this.watching;
  }

  startAgain(): void {
    this.isWanted = true;
    this.begin();
    this.watching = this.watch(this.current);
  }

  private spawn(): HandWorker {
    const { role, dataDir, env } = this.options;
    return new HandWorker({ dataDir, env, command: [MAIN, role] });
  }

  private begin(): void {
    this.earlier = this.output;
    this.current = this.spawn();
  }

  private async watch(first: HandWorker): Promise<void> {
    for (let process = first; ; process = this.current) {
      const how = await process.ended;
      if (!this.isWanted) return;
      this.ends.push(how);
      await Bun.sleep(RESTART_MS);
      if (!this.isWanted) return;
      this.begin();
    }
  }
}

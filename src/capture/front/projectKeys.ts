import { RetryableError, TerminalError } from "../../types/mod.ts";

/** The project of a key, as capture needs it. */
export interface Project {
  teamId: number;
  /** Addresses of clients are not stored. */
  anonymizeIps: boolean;
}

/** Where project keys are looked up; rejects while the records cannot be read. */
export interface Projects {
  findByToken(token: string): Promise<Project | null>;
}

interface Verdict {
  project: Project | null;
  readAtMs: number;
}

/**
 * Verdicts on project keys, remembered for `ttlMs` both ways: a new key works and a revoked one fails after that long.
 * While the records cannot be read, a key once seen as good goes on; of any other nothing is known, so the client
 * shall retry (protocol rule 23).
 */
export class ProjectKeys {
  /** Apart, so that made-up keys never push out real ones. In order of reading, so that the oldest goes first. */
  private readonly good = new Map<string, Verdict>();
  private readonly unknown = new Map<string, Verdict>();
  private readonly reading = new Map<string, Promise<Verdict>>();

  constructor(
    private readonly projects: Projects,
    private readonly ttlMs: number,
    private readonly maxKeys: number,
  ) {}

  /** The project of a key. Throws TerminalError `invalid_api_key` or RetryableError `records_unavailable`. */
  async projectOf(token: string): Promise<Project> {
    const { project } = await this.verdict(token);
    if (project === null)
      throw new TerminalError(
        "invalid_api_key",
        "API key is not valid: unknown. `weir projects list` shows the projects' keys",
      );
    return project;
  }

  private async verdict(token: string): Promise<Verdict> {
    const known = this.good.get(token) ?? this.unknown.get(token);
    if (known !== undefined && performance.now() - known.readAtMs < this.ttlMs) return known;
    try {
      return await this.readOnce(token);
    } catch (cause) {
      if (known !== undefined && known.project !== null) return known;
      throw new RetryableError("records_unavailable", "project keys cannot be read right now, please retry", { cause });
    }
  }

  private readOnce(token: string): Promise<Verdict> {
    return this.reading.getOrInsertComputed(token, () => this.read(token).finally(() => this.reading.delete(token)));
  }

  private async read(token: string): Promise<Verdict> {
    const project = await this.projects.findByToken(token);
    const verdict = { project, readAtMs: performance.now() };
    this.good.delete(token);
    this.unknown.delete(token);
    const side = project === null ? this.unknown : this.good;
    side.set(token, verdict);
    if (side.size > this.maxKeys) for (const oldest of side.keys().take(1)) side.delete(oldest);
    return verdict;
  }
}

import type { Difference } from "./match.ts";
import type { Project, Service } from "./service.ts";

/** When the first request was sent and the last was answered: the bounds of the server's receive time. */
export interface SentWithin {
  fromMs: number;
  toMs: number;
}

/** Where a capture case looks for what it has sent. */
export interface Scene {
  service: Service;
  project: Project;
  sent: SentWithin;
  /** By their indexes. */
  groupTypes: string[];
}

export type Check = Promise<Difference[]>;

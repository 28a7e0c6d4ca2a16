import type { Clocks } from "./eventTime.ts";

/** The facts that an event's meaning depends on besides itself, as plain data. */
export interface EventFacts extends Clocks {
  teamId: number;
  /** The property that is stored of `sentAtMs`, a comma before it; "" when it is not known. */
  sentAtMember: string;
  /** The same of the client's address. */
  ipMember: string;
  /** Both, as they are added to most events. */
  ownMembers: string;
  /** Addresses of clients are not stored. */
  anonymizeIps: boolean;
  /** An event whose properties and elements take more than this is set aside. */
  eventMaxBytes: number;
  /** What an event without a name is called; null where it must have one. */
  defaultName: string | null;
  /** `EventFlag.ServerUuid` when no copy can get the same of `newUuid`, else 0. */
  newUuidFlag: number;
}

/** All that an event's meaning depends on besides itself. */
export interface EventContext extends EventFacts {
  /** The uuid of an event that has none. */
  newUuid(): string;
  /** Whether the id is one that many clients share, so that it gets no person; null where that is not checked. */
  isNobody: ((distinctId: string) => boolean) | null;
  warn(type: string, details: Record<string, string | null>): void;
}

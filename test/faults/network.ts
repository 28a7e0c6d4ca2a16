import { Relay } from "./relay.ts";

interface Way {
  from: string;
  to: string;
  relay: Relay;
}

/** All ways between parts of a cluster, by their names: each goes over a relay of its own. */
export class Network {
  private readonly ways: Way[] = [];

  /** The port at which `from` reaches what listens at `port` of `to`. */
  async way(from: string, to: string, port: number): Promise<number> {
    const relay = await Relay.to(port);
    this.ways.push({ from, to, relay });
    return relay.port;
  }

  /** Every way of a part from and to others; `others` says which, all when absent. */
  of(part: string, others: readonly string[] | null = null): Relay[] {
    const isMeant = (other: string) => others === null || others.includes(other);
    return this.ways
      .filter(({ from, to }) => (from === part && isMeant(to)) || (to === part && isMeant(from)))
      .map(({ relay }) => relay);
  }

  async close(): Promise<void> {
    await Promise.all(this.ways.map(({ relay }) => relay.close()));
  }
}

import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";

/** Throws a stream away behind Weir's back, as a lost disk does. */
export async function loseStream(brokerUrl: string, name: string): Promise<void> {
  const { host, username } = new URL(brokerUrl);
  const nc = await connect({ servers: host, token: decodeURIComponent(username) });
  await (await jetstreamManager(nc)).streams.delete(name);
  await nc.close();
}

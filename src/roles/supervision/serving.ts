/** Ends something that was started. */
export type Stop = () => unknown;

/** Requests in hand get their answer; idle connections are not waited for longer. */
const STOP_GRACE_MS = 2_000;

/**
 * Starts parts one after the other and waits for `until`; then ends them in reverse order, whatever has happened on the way.
 * A part adds its end to `stops` as soon as there is something to end.
 */
export async function during(until: Promise<void>, begin: (stops: Stop[]) => Promise<void>): Promise<void> {
  const stops: Stop[] = [];
  try {
    await begin(stops);
    await until;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** What Elysia gives once it listens. */
interface Listening {
  server: { stop(): Promise<void> } | null;
  stop(closeActive?: boolean): unknown;
}

export async function stopServing(app: Listening): Promise<void> {
  await Promise.race([app.server?.stop(), Bun.sleep(STOP_GRACE_MS)]);
  await app.stop(true);
}

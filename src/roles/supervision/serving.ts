/** Ends a part that was started. */
export type Stop = () => unknown;

/** Time for requests in hand; idle connections are closed after it. */
const STOP_GRACE_MS = 2_000;

/**
 * Starts parts one after the other and waits for `until`; then ends them in reverse order, also after a failure.
 * A part adds its end to `stops` as soon as it has started.
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

/** Waits. Throws the reason of the signal where that ends it; leaves no listener behind. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const end = () => reject(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

/** The same where an end by the signal is as good as the end of the time. */
export const pauseUnless = (signal: AbortSignal, ms: number): Promise<void> => pause(ms, signal).catch(() => {});

/** A server that is up answers sooner, also where it is asked for hundreds of consumers at once. */
const AGAIN_AFTER_MS = 500;

/**
 * Asks a cluster, and once more every half second beside what was asked before, until one is answered or fails, or until `isOver`. A request that a
 * leader should answer is lost where none is elected yet, and one that was given to a server which is down stays there: nothing says so.
 */
export function untilAnswered<T>(ask: () => Promise<T>, isOver: () => boolean = () => false): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const askOnce = (): void => {
    timer = setTimeout(() => isOver() || askOnce(), AGAIN_AFTER_MS);
    ask()
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  };
  askOnce();
  return promise;
}

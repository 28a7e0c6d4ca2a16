/** One line a message, to stderr: stdout belongs to what `weir start` prints for the user. */
export function logger(role: string): (message: string) => void {
  return (message) => console.error(`${new Date().toISOString()} ${role}: ${message}`);
}

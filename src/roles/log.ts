/** How lines of the log are written: for people, or as JSON. */
export type LogForm = "text" | "json";

let form: LogForm = "text";

/** For all loggers of this process, from now on. */
export function setLogForm(wanted: LogForm): void {
  form = wanted;
}

/** One line a message, to stderr: stdout belongs to what `weir start` prints for the user. */
export function logger(role: string): (message: string) => void {
  return (message) => {
    const time = new Date().toISOString();
    console.error(form === "json" ? JSON.stringify({ time, role, message }) : `${time} ${role}: ${message}`);
  };
}

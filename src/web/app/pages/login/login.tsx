import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ApiError, call } from "../../api/client.ts";
import { enter, loadUser, mayHaveSession, user } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { messageOf } from "../../ui/notice.tsx";
import { useTask } from "../../ui/task.ts";
import { Card, useFocusedForm } from "../parts/form/card.tsx";
import { nextOf } from "./next.ts";

/** E-mail and password. A session that is there already leads on. */
export function LoginPage() {
  const { route } = useLocation();
  const known = user.value;
  useEffect(() => {
    // Whether Weir answers is seen when one logs in.
    if (known === undefined && mayHaveSession()) loadUser().catch(() => {});
    if (known) route(nextOf(window.location.search), true);
    // Once: while the next page is loaded this one is still there, and the address is another.
  }, [known]);
  if (known) return null;
  return (
    <Card title="Log in to Weir">
      <LoginForm />
    </Card>
  );
}

function LoginForm() {
  const form = useFocusedForm();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const task = useTask();
  const logIn = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      enter(await call("POST /api/login/", { body: { email: email.trim(), password } }));
    });
  };
  return (
    <>
      <form ref={form} class="form" onSubmit={logIn}>
        <TextField
          label="E-mail"
          type="email"
          autocomplete="username"
          required
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
        <TextField
          label="Password"
          type="password"
          autocomplete="current-password"
          required
          value={password}
          problem={task.error === undefined ? null : wordsOf(task.error)}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
        <Button look="primary" type="submit" isBusy={task.isBusy}>
          Log in
        </Button>
      </form>
      <p class="card-foot">
        Forgot the password? <code>scripts/weir login-link</code>, run on the machine that Weir runs on, prints a link
        that sets another.
      </p>
    </>
  );
}

function wordsOf(error: unknown): string {
  if (!(error instanceof ApiError) || error.status !== 429) return messageOf(error);
  const seconds = error.retryAfterS ?? 60;
  const wait = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return `There were too many tries. Try again in ${wait}.`;
}

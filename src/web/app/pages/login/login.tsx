/** E-mail and password. */
export function LoginPage() {
  return (
    <main class="login">
      <h1>Weir</h1>
    </main>
  );
}

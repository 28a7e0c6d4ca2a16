import { render } from "preact";
import { LocationProvider } from "preact-iso";
import { Pages } from "./pages/routes.tsx";
import { Toasts } from "./ui/toast.tsx";

render(
  <LocationProvider>
    <Pages />
    <Toasts />
  </LocationProvider>,
  document.getElementById("app")!,
);

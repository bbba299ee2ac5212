// What a browser without a session is shown instead of a page that needs one; signing in loads that page.
import { forgetSession, onSession } from './session.js';

forgetSession(); // this page is shown because there is none
onSession(() => location.reload());

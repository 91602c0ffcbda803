import { startEarlyRequests } from './api/early-requests.ts';

// The first code of a page, small so that it runs while the rest is still loaded.
startEarlyRequests(location);
void import('./main.tsx');

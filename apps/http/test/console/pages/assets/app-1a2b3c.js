document.title = 'console';

// inbox

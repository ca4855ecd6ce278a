"""`singleShot` is a property and a static function of the same class, and bindings differ in which one they mean."""

import qt

qt.QTimer().singleShot = True
